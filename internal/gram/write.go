package gram

import (
	"context"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/simd"
	"bigmkl/internal/train"
	"bigmkl/kernels"
)

// Write writes the kernel matrices of the data, each n x n, as .npy files of float64 numbers if
// double is set and of float32 numbers otherwise. It does not close src. The values are those that
// training in this precision uses, except for linear kernels, which training centres. name returns
// the path for each kernel, counted from 0. A file that could not be written to its end is removed.
func Write(ctx context.Context, src dataset.Source, o train.Options, double bool,
	name func(kernel, kernels int) (string, error)) error {
	// The factors of the multiplicative normalisation are computed in the matrices' precision, as
	// training has them, and not in the precision that other options would lead a training to.
	if double {
		o.Solver.Precision = chunking.Double
	}
	w, err := train.Open(o)
	if err != nil {
		return err
	}
	defer w.Close()
	w.Account = func(r *budget.Run, points kernels.Points, b *kernels.Bank) budget.Share {
		return countMemory(r, points, b, double, leastRows, 1)
	}
	if err := w.Read(ctx, src); err != nil {
		return err
	}
	// Points that were packed beforehand are checked before a matrix is written of them.
	if err := w.Store.Changed(); err != nil {
		return err
	}
	if err := w.PrepareKernels(ctx); err != nil {
		return err
	}
	rows, threads, err := divideMemory(w, double)
	if err != nil {
		return err
	}
	w.Kernels.SetThreads(threads)
	w.LimitHeap(w.Options.Budget.Memory)
	// A kernel without a scale is 0 on these data. Its matrix shows that without a warning.
	if err := w.FindScales(ctx, func(string, ...any) {}); err != nil {
		return err
	}
	// The kernels are written one after the other, so one block of rows is in memory at a time.
	b := w.Kernels.Bank
	b.Plain() // Linear kernels are not centred.
	for id := range b.Len() {
		path, err := name(id, b.Len())
		if err != nil {
			return err
		}
		to, err := npy.Create(path, w.Store.Len(), w.Store.Len(), double)
		if err != nil {
			return err
		}
		if double {
			err = writeGram(ctx, b, id, w.Store, rows, threads, to, to.WriteRow64)
		} else {
			err = writeGram(ctx, b, id, w.Store, rows, threads, to, to.WriteRow32)
		}
		if err != nil {
			return err
		}
	}
	return w.Check(nil)
}

// writeGram computes the matrix of kernel id, so many rows at a time, and calls row for each of
// them. It closes the file, or removes it if there is an error.
func writeGram[T simd.Real](ctx context.Context, b *kernels.Bank, id int, store *dataset.Store,
	rows, threads int, w *npy.Writer, row func([]T) error) error {
	if err := kernels.Gram(ctx, kernels.Matrices{Bank: b, Points: store}, id, rows, threads, row); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// leastRows is the smallest number of rows of a matrix that are computed at a time.
const leastRows = 8

// divideMemory returns the number of rows to compute at a time, and of threads, that the memory
// allows. No value depends on either. Rows come first, because every block of rows takes a pass
// over all points. A budget in which the least of both does not fit is of class fail.Budget.
func divideMemory(w *train.Workspace, double bool) (rows, threads int, err error) {
	r, n := w.BudgetRun(), w.Store
	least := func(rows, threads int) int64 {
		s := countMemory(r, n, w.Kernels.Bank, double, rows, threads)
		return s.Least
	}
	s := countMemory(r, n, w.Kernels.Bank, double, leastRows, 1)
	if err := s.Reject("memory"); err != nil {
		return 0, 0, err
	}
	for rows = kernels.GramRows; rows > leastRows && least(rows, 1) > r.Memory; {
		rows /= 2
	}
	for threads = 1; threads < r.Threads && least(rows, threads+1) <= r.Memory; {
		threads++
	}
	return rows, threads, nil
}

// countMemory returns what matrices take of the memory with so many rows at a time and threads.
func countMemory(r *budget.Run, points kernels.Points, b *kernels.Bank, double bool,
	rows, threads int) budget.Share {
	memory := kernels.Memory{Bank: b, Points: points}
	block, thread := memory.Gram(rows, double)
	work := block + int64(threads)*thread
	// The normalisation comes before the matrices, and takes its memory at another time.
	if b.Multiplied() {
		work = max(work, memory.Normalize(threads))
	}
	return budget.Fixed(r.Memory, append(r.Tables(points, b),
		budget.Part{Name: "rows of a matrix, and work", Bytes: work}))
}
