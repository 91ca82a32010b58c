package kernels

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bigmkl/internal/invariant"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// Values that no kernel has are seen.
func TestAssertProducts(t *testing.T) {
	t.Parallel()
	if !invariant.Enabled {
		t.Skip("invariants are checked with -tags invariants")
	}
	b := &Bank{numbering: numbering{definite: []bool{true}}}
	for want, spoil := range map[string]func(k, self []float32){
		"<nil>":             func([]float32, []float32) {},
		"k(x,x) = -1":       func(_, self []float32) { self[1] = -1 },
		"k(z,x) = 0.5":      func(k, _ []float32) { k[1] = 0.6 },
		"k(x,x) k(z,z) = 1": func(k, _ []float32) { k[1], k[simd.Width] = 1.1, 1.1 },
	} {
		k, self := make([]float32, 2*simd.Width), make([]float32, simd.Width)
		k[0], k[1], k[simd.Width], k[simd.Width+1] = 1, 0.5, 0.5, 1
		self[0], self[1] = 1, 1
		spoil(k, self)
		text := recovered(func() { assertMember(b, &Member{}, k, self, 2, 1e-3, 0) })
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %q", want, text)
		}
	}
	// A kernel that is taken for positive semi-definite and is not.
	p := points(random(t, 4), 50, 6)
	shape, err := Survey(t.Context(), p, p.mean(), 1)
	if err != nil {
		t.Fatal(err)
	}
	bank, err := NewBank(context.Background(), &kernelspec.Bank{Kernels: []kernelspec.Kernel{{Kind: kernelspec.Poly, Gamma: 1, Coef: -1000, Degree: 3, Set: kernelspec.AllFeatures}}}, shape, kernelspec.Unnormalized, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := recovered(func() { Matrices{bank, p}.AssertProducts() }); text != "<nil>" {
		t.Errorf("a kernel that may be indefinite: %s", text)
	}
	bank.definite[0] = true
	if text := recovered(func() { Matrices{bank, p}.AssertProducts() }); !strings.Contains(text, "invariant: kernel 0: k(x,x) = -") {
		t.Errorf("an indefinite kernel: %s", text)
	}
}

// recovered is the text of the panic that f ends in, "<nil>" if it does not.
func recovered(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}
