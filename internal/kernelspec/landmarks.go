package kernelspec

import (
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

// Gates may look at the values of a kernel with some rows of the training in place of features, the
// empirical kernel map of Gönen (2010, eq. 3.5). The text kernel:SPEC*L asks for L of these rows, which
// are called landmarks here.

// landmarkPrefix begins that text.
const landmarkPrefix = "kernel:"

// MostLandmarks is the largest number of landmarks.
const MostLandmarks = 1 << 16

// CutLandmarks returns the specification and the number of a text kernel:SPEC*L, and whether the text is
// of that form. A text that begins like one and has no specification or no number from 1 to
// MostLandmarks is of class fail.Usage.
func CutLandmarks(text string) (spec string, count int, found bool, err error) {
	body, found := strings.CutPrefix(text, landmarkPrefix)
	if !found {
		return "", 0, false, nil
	}
	// A product has stars of its own.
	at := strings.LastIndexByte(body, '*')
	if at > 0 {
		spec = body[:at]
		count, err = strconv.Atoi(body[at+1:])
	}
	if spec == "" || err != nil || count < 1 || count > MostLandmarks {
		return "", 0, true, fail.New(fail.Usage, "%s is not kernel:SPEC*L with a number L of rows from 1 to %d",
			fail.Quote(text), MostLandmarks)
	}
	return spec, count, true, nil
}

// Landmarks returns the text of a specification and a number of landmarks.
func Landmarks(spec string, count int) string {
	return landmarkPrefix + spec + "*" + strconv.Itoa(count)
}

// CheckLandmarks returns an error of class fail.Usage unless a specification, which has been expanded to
// the bank, is one kernel that gates can look at: without attributes, and no code of the user or pairs.
func (b *Bank) CheckLandmarks(spec string) error {
	suffix := Suffix(spec)
	switch {
	case suffix != "":
		return fail.New(fail.Usage, "gates look at the kernel %s as it is, without %s", fail.Quote(bare(spec)),
			fail.Quote(strings.TrimSpace(suffix)))
	case len(b.Kernels) != 1:
		return fail.New(fail.Usage, "gates look at one kernel, and %s stands for %d", fail.Quote(spec),
			len(b.Kernels))
	case b.Kernels[0].Kind == Pairwise || len(b.Users) > 0:
		return fail.New(fail.Usage, "gates cannot look at the kernel %s", fail.Quote(spec)).
			WithHint("kernels of features, of letters or from a matrix")
	}
	return nil
}

// matrixPrefix begins the specification of a kernel from a matrix.
const matrixPrefix = "precomputed:"

// MatrixOf returns the file of a kernel from a matrix, and whether the specification is one.
func MatrixOf(spec string) (file string, found bool) { return strings.CutPrefix(spec, matrixPrefix) }

// MatrixNumber returns the specification of a kernel from a matrix by the 0-based number of the file
// among the files of a bank, as a model has it.
func MatrixNumber(file int) string { return matrixPrefix + strconv.Itoa(file+1) }
