package kernels

import (
	"context"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// distances finds the distances that widths of kernels refer to: between points, or between the objects that points
// name, each of which counts once.
type distances struct {
	store   *dataset.Store
	options *PrepareOptions
	medians map[int]*medians // by the kind of objects; 0 for points
}

func newDistances(store *dataset.Store, o *PrepareOptions) *distances {
	return &distances{store, o, map[int]*medians{}}
}

// points returns the points that a set of features belongs to, with the features among theirs and a number for the points.
func (d *distances) points(set []int32) (Points, []int32, int, error) {
	o := d.options.Objects
	if o == nil {
		return d.store, set, 0, nil
	}
	column, own := o.Find(set)
	if column < 0 || o.Kind(column).Dim == 0 {
		return nil, nil, 0, fail.New(fail.Usage, "a width that depends on the data is of features of one kind of objects").
			WithHint("write the features of one column of objects behind the kernel, such as gauss:auto@%s", o.Columns[0].Name)
	}
	return objects.Points{Kind: o.Kind(column)}, own, o.Columns[column].Kind, nil
}

// of returns the medians of the points that a set belongs to, with the features among theirs.
func (d *distances) of(set []int32) (*medians, []int32, error) {
	points, own, number, err := d.points(set)
	if err != nil {
		return nil, nil, err
	}
	if d.medians[number] == nil {
		d.medians[number] = newMedians(points, d.options.Seed)
	}
	return d.medians[number], own, nil
}

func (d *distances) distance(ctx context.Context, set []int32, kind kernelspec.Kind) (float64, error) {
	m, own, err := d.of(set)
	if err != nil {
		return 0, err
	}
	return m.distance(ctx, own, kind)
}

func (d *distances) mean(ctx context.Context, set []int32, kind kernelspec.Kind) (float64, error) {
	m, own, err := d.of(set)
	if err != nil {
		return 0, err
	}
	return m.mean(ctx, own, kind)
}

func (d *distances) nearest(ctx context.Context, set []int32) (float64, error) {
	points, own, _, err := d.points(set)
	if err != nil {
		return 0, err
	}
	return nearestDistance(ctx, points, d.options.Seed, d.options.Threads, own)
}
