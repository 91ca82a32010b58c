package kernels

import (
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// UserKernel is a kernel in code of the library's user. Its methods are called from several
// goroutines at once.
type UserKernel = interface {
	// Values writes k(x, z) for every z to dst, which is as long as z. x and z hold the features
	// that the specification names, in their order, of scaled points; they are lent for the call.
	// Values must be finite and symmetric, and depend on the two points alone: neither on what else
	// is in z nor on anything that changes while a model is in use.
	Values(dst []float64, x []float32, z [][]float32)

	// Definite reports whether all matrices of the kernel are positive semi-definite. If not, a
	// duality gap shows a stationary point but proves no optimum.
	Definite() bool
}

// userOf returns the code of a kernel that the bank names. An error is of class usage.
func userOf(b *kernelspec.Bank, k *kernelspec.Kernel, users map[string]UserKernel) (
	UserKernel, error) {
	name := b.Users[k.Index]
	if u := users[name]; u != nil {
		return u, nil
	}
	return nil, fail.New(fail.Usage, "there is no code of the kernel user:%s here", fail.Cut(name)).
		WithHint("such kernels are Go code: a program that uses the library gives it as " +
			"UserKernels, in training, prediction and verification alike")
}
