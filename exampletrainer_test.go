package bigmkl_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
)

// part yields the rows from..to-1 of an iterator.
func part(rows iter.Seq[dataset.Row], from, to int) iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		i := 0
		for row := range rows {
			if i++; i > to || i > from && !yield(row) {
				return
			}
		}
	}
}

// Rows come in batches. Each training continues from the one before, and each snapshot is a certified
// model of the rows in the window.
func ExampleTrainer() {
	ctx := context.Background()
	trainer, err := bigmkl.NewTrainer(bigmkl.Options{Kernels: "gauss:auto/3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	trainer.Window(300) // older rows are forgotten

	for from := 0; from < 500; from += 100 {
		source := dataset.FromSeq(part(rings(500, 0), from, from+100))
		err := trainer.Add(ctx, source) // also while a Fit runs
		source.Close()
		if err != nil {
			fmt.Println(err) // the batch is left out, and the trainer as it was
			continue
		}
		result, err := trainer.Fit(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		model, _ := trainer.Snapshot()
		fmt.Println(result.Status, "on", model.Points, "rows")
	}
	// Output:
	// converged on 100 rows
	// converged on 200 rows
	// converged on 300 rows
	// converged on 300 rows
	// converged on 300 rows
}

// A trainer of several classes has a classifier for each. A class that comes later gets one, and a class
// whose rows have left the window loses its classifier.
func ExampleTrainer_classes() {
	ctx := context.Background()
	trainer, err := bigmkl.NewTrainer(bigmkl.Options{Kernels: "gauss:1", Multiclass: bigmkl.OneVsRest})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	trainer.Window(60)

	for _, classes := range [][]string{{"ash", "oak"}, {"ash", "elm"}, {"elm", "fir"}} {
		var rows []dataset.Row
		for i := range 30 {
			class := classes[i%2]
			x := float64(class[0] - 'a') // each class has a place of its own
			rows = append(rows, dataset.Row{Label: class, Index: []int32{0, 1}, Value: []float64{x, float64(i) / 30}})
		}
		source := dataset.FromSeq(slices.Values(rows))
		err := trainer.Add(ctx, source)
		source.Close()
		if err == nil {
			_, err = trainer.Fit(ctx)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		model, _ := trainer.Snapshot()
		if model.Several() {
			fmt.Println(model.Points, "rows of", model.Classes)
		} else {
			fmt.Println(model.Points, "rows of", model.Negative, "and", model.Positive)
		}
	}
	// Output:
	// 30 rows of ash and oak
	// 60 rows of [ash elm oak]
	// 60 rows of [ash elm fir]
}

// A trainer outlives its process.
func ExampleResumeTrainer() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	options := bigmkl.Options{Kernels: "gauss:0.5"}

	// Every day does the same: the first finds nothing in the folder.
	for day := range 3 {
		trainer, err := bigmkl.ResumeTrainer(ctx, folder, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		source := dataset.FromSeq(part(rings(300, 0), 100*day, 100*day+100))
		err = trainer.Add(ctx, source)
		source.Close()
		if err == nil {
			_, err = trainer.Fit(ctx)
		}
		if err == nil {
			err = trainer.Save(ctx, folder)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		model, _ := trainer.Snapshot()
		fmt.Println(model.Points, "rows")
		trainer.Close()
	}
	// Output:
	// 100 rows
	// 200 rows
	// 300 rows
}

// The rows of a model are gone, and others have come. Its support vectors replace the old ones.
func ExampleContinueTrainer() {
	ctx := context.Background()
	options := bigmkl.Options{Kernels: "gauss:0.5"}
	old := dataset.FromSeq(rings(400, 0))
	defer old.Close()
	model, _, err := bigmkl.Train(ctx, old, options)
	if err != nil {
		fmt.Println(err)
		return
	}

	trainer, err := bigmkl.ContinueTrainer(ctx, model, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	more := dataset.FromSeq(rings(100, 0.5))
	defer more.Close()
	if err := trainer.Add(ctx, more); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := trainer.Fit(ctx); err != nil {
		fmt.Println(err)
		return
	}
	next, _ := trainer.Snapshot()
	fmt.Println(next.Points == len(model.Support)+100, next.Stream.Seen, "rows seen")
	// Output:
	// true 500 rows seen
}
