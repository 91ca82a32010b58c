package main

import (
	"slices"
	"strings"
	"testing"
)

// most is the number of exported names that other modules can import. It may only fall.
const most = 691

// public are the packages that a program of another module uses: the library, its data, its solver and its checks. The
// packages of the command, and of tests, lie beside their programs. Every other package belongs below internal.
var public = []string{
	".", "dataset", "predict", "verify", "chunking", "chunking/norm", "gradient", "kernels", "cache", "mmap",
}

func TestExported(t *testing.T) {
	counts, err := count("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for folder, names := range counts {
		sum += names
		if !slices.Contains(public, folder) && !strings.HasPrefix(folder, "cmd/") {
			t.Errorf("package %s can be imported by other modules: move it below internal", folder)
		}
	}
	switch {
	case sum > most:
		t.Errorf("%d exported names, %d allowed: unexport a name, or move its package below internal", sum, most)
	case sum < most:
		t.Errorf("%d exported names, no longer %d: lower the number", sum, most)
	}
}
