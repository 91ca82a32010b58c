package dataset

import (
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

// Alphabet defines which letters sequences are made of. Letter j of a sequence is feature j of its
// row, and the code of the letter is the value. So views, scratch files and models treat positions
// of sequences like any other features. Code 0 means a position without a known letter, such as
// one behind the end of a sequence. Such a position equals nothing, not even another one.
//
// Rows may have numbers before the letters, as rows of a table with a column of sequences have.
// Their alphabet is the alphabet of the letters, an @, and the number of the first feature that
// is a letter, as in dna@12 (see beside).
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
	a := Alphabet(s)
	switch a {
	case Numbers, DNA, Bytes:
		return a, nil
	}
	letters, before := a.split()
	if letters.beside(before) == a && before > 0 && (letters == DNA || letters == Bytes) {
		return a, nil
	}
	return "", fail.New(fail.Usage, "unknown alphabet %s", fail.Quote(s)).WithHint("dna or bytes")
}

// beside returns the alphabet of rows that have so many features that are numbers before the
// letters.
func (a Alphabet) beside(numbers int) Alphabet {
	if numbers == 0 {
		return a
	}
	return a + Alphabet("@"+strconv.Itoa(numbers+1))
}

// Letters returns the alphabet of the letters alone.
func (a Alphabet) Letters() Alphabet {
	letters, _ := a.split()
	return letters
}

// Before returns the number of features before the letters, which are numbers.
func (a Alphabet) Before() int {
	_, before := a.split()
	return before
}

// split divides an alphabet into that of its letters and the number of features before them.
func (a Alphabet) split() (letters Alphabet, before int) {
	name, first, mixed := strings.Cut(string(a), "@")
	if !mixed {
		return a, 0
	}
	before, err := strconv.Atoi(first)
	if err != nil || before < 1 || before > MaxSequence {
		return a, 0
	}
	return Alphabet(name), before - 1
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
	if a.Letters() == DNA {
		return &dnaCodes
	}
	return &byteCodes
}

// Planes returns the number of bits that a code less 1 takes, which distinguishes any two
// letters.
func (a Alphabet) Planes() int {
	if a.Letters() == DNA {
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

// Code returns the code that a number denotes, or 0 if it denotes none. Any number will do,
// because numbers come from files.
func (a Alphabet) Code(x float32) uint8 {
	if x >= 1 && x <= float32(a.Last()) {
		return uint8(x)
	}
	return 0
}

// Fits reports whether a feature, counted from 0, may have a value: any if it is a number, and a
// code if it is a letter.
func (a Alphabet) Fits(feature int, x float64) bool {
	letters, before := a.split()
	return feature < before || letters.isCode(x)
}

// isCode reports whether a value is a code of letters. Every value is one of Numbers.
func (a Alphabet) isCode(x float64) bool {
	switch a {
	case Numbers:
		return true
	case DNA:
		return x == 0 || x == 1 || x == 2 || x == 3 || x == 4
	}
	return x >= 0 && x < 256 && x == math.Trunc(x)
}

// Check returns an error of class fail.Input if a row has a feature that is not a code or lies
// beyond MaxSequence.
func (a Alphabet) Check(r *Row) error {
	if a == Numbers {
		return nil
	}
	letters, before := a.split()
	if n := len(r.Index); n > 0 && r.Index[n-1] >= MaxSequence {
		return r.fault("position %d: a sequence has at most %d letters", int64(r.Index[n-1])+1,
			MaxSequence)
	}
	for k, x := range r.Value {
		if int(r.Index[k]) >= before && !letters.isCode(x) {
			return r.fault("position %d is %v, which stands for no letter of %s",
				int64(r.Index[k])+1, x, letters)
		}
	}
	return nil
}

// Sequence appends the positions and the codes of the letters of a text to index and value. It
// returns an error of class fail.Input, with the column, at the first byte that is not a letter
// or exceeds MaxSequence.
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
