package kernels

// Matrices are the kernel matrices of a bank on some points. None of them is kept: whatever is computed of them streams
// over blocks of their rows.
type Matrices struct {
	Bank   *Bank
	Points Points
}

// Memory bounds what is taken for the kernel matrices of a bank on some points, in bytes. Neither an n x n nor an
// n x M matrix is part of it, as none is made.
type Memory struct {
	Bank   *Bank
	Points Points
}
