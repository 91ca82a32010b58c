package bigmkl

import (
	"context"

	"bigmkl/dataset"
	"bigmkl/internal/npy"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Gram writes the kernel matrices of the data, n x n, as .npy files of float32 or float64 numbers: the very values that
// training in that precision uses, but for linear kernels, which training centres. name gives the path for each kernel, numbered from 0. Nothing half-written stays.
func Gram(ctx context.Context, src dataset.Source, o Options, double bool, name func(kernel, kernels int) (string, error)) error {
	if err := o.Validate(); err != nil {
		return err
	}
	o.setDefaults()
	if err := o.setBudgets(); err != nil {
		return err
	}
	store, err := o.build(ctx, src)
	if err != nil {
		return err
	}
	defer store.Close()
	b, err := newBank(ctx, store, &o)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.normalize(ctx, store, &o, func(string, ...any) {}); err != nil {
		return err
	}
	b.kernels.Plain()
	for id := range b.kernels.Len() {
		path, err := name(id, b.kernels.Len())
		if err != nil {
			return err
		}
		w, err := npy.Create(path, store.Len(), store.Len(), double)
		if err != nil {
			return err
		}
		if double {
			err = writeGram(ctx, b.kernels, id, store, o.Threads, w, w.WriteRow64)
		} else {
			err = writeGram(ctx, b.kernels, id, store, o.Threads, w, w.WriteRow32)
		}
		if err != nil {
			return err
		}
	}
	return b.changed()
}

func writeGram[T simd.Real](ctx context.Context, b *kernels.Bank, id int, store *dataset.Store, threads int, w *npy.Writer, row func([]T) error) error {
	if err := kernels.Gram(ctx, b, id, store, threads, row); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}
