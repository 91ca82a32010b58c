package dataset

import (
	"math"

	"bigmkl/internal/fail"
)

// Alphabet says what the letters of sequences are. Letter j of a sequence is feature j of its row, and the value its code:
// all that is done with features is done with positions then, from views to the points in scratch. Code 0 is a place
// without a letter, which equals nothing, not even another such place: what a sequence has behind its end.
type Alphabet string

// The alphabets.
const (
	Numbers Alphabet = ""      // none: features are numbers
	DNA     Alphabet = "dna"   // A C G T have codes 1 to 4, of either case; U is T, ambiguous letters and gaps are 0
	Bytes   Alphabet = "bytes" // every printing byte is a letter, its own code
)

// ParseAlphabet returns the alphabet that s names.
func ParseAlphabet(s string) (Alphabet, error) {
	switch a := Alphabet(s); a {
	case Numbers, DNA, Bytes:
		return a, nil
	}
	return "", fail.New(fail.Usage, "unknown alphabet %s", fail.Quote(s)).WithHint("dna or bytes")
}

// noLetter marks bytes that are no letters of an alphabet.
const noLetter = -1

var dnaCodes, byteCodes = codes()

func codes() (dna, all [256]int16) {
	for c := range 256 {
		dna[c], all[c] = noLetter, int16(c)
		if c <= ' ' || c == 0x7f {
			all[c] = noLetter
		}
	}
	for code, letters := range [5]string{"NRYSWKMBDHVX-.*", "A", "C", "G", "TU"} {
		for _, c := range []byte(letters) {
			dna[c] = int16(code)
			if c >= 'A' {
				dna[c|0x20] = int16(code)
			}
		}
	}
	return dna, all
}

// codes gives the code of every byte.
func (a Alphabet) codes() *[256]int16 {
	if a == DNA {
		return &dnaCodes
	}
	return &byteCodes
}

// Planes is the number of bits that tell letters apart, by their codes less 1.
func (a Alphabet) Planes() int {
	if a == DNA {
		return 2
	}
	return 8
}

// Last is the largest code.
func (a Alphabet) Last() uint8 {
	if a == DNA {
		return 4
	}
	return 255
}

// Code is the code that a number is, 0 if it is none. Numbers come from files: any will do.
func (a Alphabet) Code(x float32) uint8 {
	if x >= 1 && x <= float32(a.Last()) {
		return uint8(x)
	}
	return 0
}

// IsCode tells whether a value is a code of the alphabet. All are of none.
func (a Alphabet) IsCode(x float64) bool {
	switch a {
	case Numbers:
		return true
	case DNA:
		return x == 0 || x == 1 || x == 2 || x == 3 || x == 4
	}
	return x >= 0 && x < 256 && x == math.Trunc(x)
}

// Check finds a feature of a row that is no code.
func (a Alphabet) Check(r *Row) error {
	if a == Numbers {
		return nil
	}
	if n := len(r.Index); n > 0 && r.Index[n-1] >= MaxSequence {
		return r.fault("position %d: a sequence has at most %d letters", int64(r.Index[n-1])+1, MaxSequence)
	}
	for k, x := range r.Value {
		if !a.IsCode(x) {
			return r.fault("position %d is %v, which stands for no letter of %s", int64(r.Index[k])+1, x, a)
		}
	}
	return nil
}

// Sequence gives the features of a text: its positions, and the codes of its letters, appended to index and value. The first
// byte that is no letter, or that is one too many, is fail.Input with its column.
func (a Alphabet) Sequence(text []byte, index []int32, value []float64) ([]int32, []float64, error) {
	codes := a.codes()
	for i, c := range text {
		code := codes[c]
		if code == noLetter {
			return index, value, fail.New(fail.Input, "%s is no letter of %s", clip(text[i:i+1]), a).At("", 0, i+1)
		}
		if len(index) == MaxSequence {
			return index, value, fail.New(fail.Input, "a sequence of more than %d letters", MaxSequence).At("", 0, i+1)
		}
		index, value = append(index, int32(len(index))), append(value, float64(code))
	}
	return index, value, nil
}

// MaxSequence is the letters that a sequence may have: what is no data can make us hold 12 bytes for each, and
// kernels many times that.
const MaxSequence = 1 << 17
