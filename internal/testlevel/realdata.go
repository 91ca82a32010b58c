package testlevel

import (
	"os"
	"testing"
)

// RealData is the folder of the real data sets that BIGMKL_DATA names, or "".
func RealData() string {
	note()
	return os.Getenv("BIGMKL_DATA")
}

// NeedRealData returns the folder of the real data sets. It skips the test if there is none.
func NeedRealData(t testing.TB) string {
	t.Helper()
	root := RealData()
	if root == "" {
		t.Skip("BIGMKL_DATA is not set: no real data")
	}
	return root
}

// NeedReference returns the folder of the certified optima, which BIGMKL_REFERENCE names. It skips the test if there
// is none.
func NeedReference(t testing.TB) string {
	t.Helper()
	note()
	root := os.Getenv("BIGMKL_REFERENCE")
	if root == "" {
		t.Skip("BIGMKL_REFERENCE is not set: no reference optima")
	}
	return root
}
