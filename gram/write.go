package gram

import (
	"context"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/train"
)

// Write writes the kernel matrices of the data, n x n, as .npy files of float32 or float64 numbers: the very values that
// training in that precision uses, but for linear kernels, which training centres. name gives the path for each kernel, numbered from 0. Nothing half-written stays.
func Write(ctx context.Context, src dataset.Source, o train.Options, double bool, name func(kernel, kernels int) (string, error)) error {
	w, err := train.Open(o)
	if err != nil {
		return err
	}
	defer w.Close()
	w.Account = func(r *budget.Run, points kernels.Points, b *kernels.Bank) budget.Share {
		return memoryOf(r, points, b, double, leastRows, 1)
	}
	if err := w.Read(ctx, src); err != nil {
		return err
	}
	if err := w.PrepareKernels(ctx); err != nil {
		return err
	}
	rows, threads, err := workOf(w, double)
	if err != nil {
		return err
	}
	w.Kernels.SetThreads(threads)
	w.LimitHeap(w.Options.Budget.Memory)
	if err := w.FindScales(ctx, func(string, ...any) {}); err != nil {
		return err
	}
	b := w.Kernels.Bank
	b.Plain()
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

func writeGram[T simd.Real](ctx context.Context, b *kernels.Bank, id int, store *dataset.Store, rows, threads int, w *npy.Writer, row func([]T) error) error {
	if err := kernels.Gram(ctx, b, id, store, rows, threads, row); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// leastRows is the number of rows of a matrix that are computed at a time where memory is short.
const leastRows = 8

// workOf gives as many rows at a time, and as many threads, as the memory allows; no value depends
// on either. It refuses a budget in which the least of both does not fit.
func workOf(w *train.Workspace, double bool) (rows, threads int, err error) {
	r, n := w.BudgetRun(), w.Store
	least := func(rows, threads int) int64 {
		s := memoryOf(r, n, w.Kernels.Bank, double, rows, threads)
		return s.Least
	}
	s := memoryOf(r, n, w.Kernels.Bank, double, leastRows, 1)
	if err := s.Refuse("memory"); err != nil {
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

// memoryOf is what matrices take of the memory, so many rows at a time by so many threads.
func memoryOf(r *budget.Run, points kernels.Points, b *kernels.Bank, double bool, rows, threads int) budget.Share {
	block, thread := kernels.GramBytes(b, points, rows, double)
	work := block + int64(threads)*thread
	if b.Multiplied() {
		work = max(work, kernels.NormalizeBytes(b, points, threads))
	}
	return budget.Fixed(r.Memory, append(r.Tables(points, b), budget.Part{Name: "rows of a matrix, and work", Bytes: work}))
}
