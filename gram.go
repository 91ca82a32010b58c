package bigmkl

import (
	"context"

	"bigmkl/dataset"
	"bigmkl/dataset/npy"
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
	rows, threads := kernels.GramRows, 0
	o.purpose = func(o *Options, points kernels.Points, b *kernels.Bank) Share {
		return o.gramMemory(points, b, double, 8, 1)
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
	least := o.gramMemory(store, b.kernels, double, 8, 1)
	if err := least.refuse("memory"); err != nil {
		return err
	}
	for rows > 8 && o.gramMemory(store, b.kernels, double, rows, 1).Least > o.Memory {
		rows /= 2
	}
	for threads = 1; threads < o.Threads && o.gramMemory(store, b.kernels, double, rows, threads+1).Least <= o.Memory; {
		threads++
	}
	o.Threads = threads
	o.limitHeap(o.Memory)
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
			err = writeGram(ctx, b.kernels, id, store, rows, o.Threads, w, w.WriteRow64)
		} else {
			err = writeGram(ctx, b.kernels, id, store, rows, o.Threads, w, w.WriteRow32)
		}
		if err != nil {
			return err
		}
	}
	return b.changed()
}

func writeGram[T simd.Real](ctx context.Context, b *kernels.Bank, id int, store *dataset.Store, rows, threads int, w *npy.Writer, row func([]T) error) error {
	if err := kernels.Gram(ctx, b, id, store, rows, threads, row); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// gramMemory is what matrices take of the memory, so many rows at a time by so many threads; no value depends on either.
func (o *Options) gramMemory(points kernels.Points, b *kernels.Bank, double bool, rows, threads int) Share {
	block, thread := kernels.GramBytes(b, points, rows, double)
	work := block + int64(threads)*thread
	if b.Multiplied() {
		work = max(work, kernels.NormalizeBytes(b, points, threads))
	}
	return o.simply([]Part{
		{"points", "28 n", bytesRead * int64(points.Len())}, {"features", "100 d", bytesPerFeature * int64(points.Dim())},
		{"kernels", "300 M + 800 groups", kernelBytes(b) + o.omitted}, {"rows of a matrix, and work", "", work},
	})
}

// simply is the share of what is there all the time.
func (o *Options) simply(parts []Part) Share {
	s := Share{Budget: o.Memory, Least: runtimeBytes, Fixed: []Part{{"the program", "", runtimeBytes}}}
	for _, p := range parts {
		p.Bytes = int64(slack * float64(p.Bytes))
		s.Fixed, s.Least = append(s.Fixed, p), s.Least+p.Bytes
	}
	return s
}
