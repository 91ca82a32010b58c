package kernels

// Matrices are the kernel matrices of a bank on some points. None of them is kept: whatever is computed of them streams
// over blocks of their rows.
type Matrices struct {
	Bank   *Bank
	Points Points
}

// Memory is the account of memory of the kernel matrices of a bank on some points, in bytes. It has neither an n x n
// matrix nor an n x M matrix, as neither is computed.
type Memory struct {
	Bank   *Bank
	Points Points
}
