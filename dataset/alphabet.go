package dataset

import (
	"math"

	"bigmkl/internal/fail"
)

// Alphabet says which letters sequences are made of. Letter j of a sequence is feature j of its
// row, and the code of the letter is the value. So views, scratch files and models treat positions
// of sequences like any other features. Code 0 stands for a position without a known letter, such
// as one behind the end of a sequence. Such a position equals nothing, not even another one.
type Alphabet string

// These are the alphabets.
const (
	// Features are numbers and not letters.
	Numbers Alphabet = ""
	// A, C, G and T have the codes 1 to 4 in either case. U counts as T. Other letters have code 0.
	DNA Alphabet = "dna"
	// Every printing byte is a letter and its own code.
	Bytes Alphabet = "bytes"
)

// ParseAlphabet returns the alphabet of a name. An unknown name gives an error of class fail.Usage.
func ParseAlphabet(s string) (Alphabet, error) {
	switch a := Alphabet(s); a {
	case Numbers, DNA, Bytes:
		return a, nil
	}
	return "", fail.New(fail.Usage, "unknown alphabet %s", fail.Quote(s)).WithHint("dna or bytes")
}

// noLetter marks bytes that an alphabet does not contain.
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

// codes returns the table of the codes of all bytes.
func (a Alphabet) codes() *[256]int16 {
	if a == DNA {
		return &dnaCodes
	}
	return &byteCodes
}

// Planes returns the number of bits that a code less 1 takes, which tells any two letters apart.
func (a Alphabet) Planes() int {
	if a == DNA {
		return 2
	}
	return 8
}

// Last returns the largest code.
func (a Alphabet) Last() uint8 {
	if a == DNA {
		return 4
	}
	return 255
}

// Code returns the code that a number stands for, or 0 if it stands for none. Any number will do,
// because numbers come from files.
func (a Alphabet) Code(x float32) uint8 {
	if x >= 1 && x <= float32(a.Last()) {
		return uint8(x)
	}
	return 0
}

// IsCode reports whether a value is a code of the alphabet. Every value is one of Numbers.
func (a Alphabet) IsCode(x float64) bool {
	switch a {
	case Numbers:
		return true
	case DNA:
		return x == 0 || x == 1 || x == 2 || x == 3 || x == 4
	}
	return x >= 0 && x < 256 && x == math.Trunc(x)
}

// Check returns an error of class fail.Input if a row has a feature that is no code or lies beyond
// MaxSequence.
func (a Alphabet) Check(r *Row) error {
	if a == Numbers {
		return nil
	}
	if n := len(r.Index); n > 0 && r.Index[n-1] >= MaxSequence {
		return r.fault("position %d: a sequence has at most %d letters", int64(r.Index[n-1])+1,
			MaxSequence)
	}
	for k, x := range r.Value {
		if !a.IsCode(x) {
			return r.fault("position %d is %v, which stands for no letter of %s",
				int64(r.Index[k])+1, x, a)
		}
	}
	return nil
}

// Sequence appends the positions and the codes of the letters of a text to index and value. It
// returns an error of class fail.Input, with the column, at the first byte that is no letter or
// exceeds MaxSequence.
func (a Alphabet) Sequence(text []byte, index []int32, value []float64) ([]int32, []float64,
	error) {
	codes := a.codes()
	for i, c := range text {
		code := codes[c]
		if code == noLetter {
			return index, value, fail.New(fail.Input, "%s is no letter of %s", clip(text[i:i+1]),
				a).At("", 0, i+1)
		}
		if len(index) == MaxSequence {
			return index, value, fail.New(fail.Input, "a sequence of more than %d letters",
				MaxSequence).At("", 0, i+1)
		}
		index, value = append(index, int32(len(index))), append(value, float64(code))
	}
	return index, value, nil
}

// MaxSequence is the largest number of letters of a sequence. It bounds the memory that a hostile
// file can claim: 12 bytes a letter while rows are read, and much more in the kernels.
const MaxSequence = 1 << 17
