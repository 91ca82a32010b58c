package selection

import (
	"context"
	"math/rand/v2"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
)

// subset is some of the rows, opened for trainings.
type subset struct {
	data *loaded
	rows []int32 // of all rows, ascending
	rest []int32 // rows that the data have beside them; nil if it has these alone
	owns bool    // the data are of these rows alone
}

// openSubset opens some rows for trainings to a gap. If preparation is shared, it opens nothing
// and returns the rows as a part of the open data.
func (p *pool) openSubset(ctx context.Context, kernels string, rows []int32, gap float64) (*subset, error) {
	others := rest(rows, p.data.Store().Len())
	// With shared preparation all trainings use one packed store, and the rows of the subset are
	// a list of numbers in it.
	if p.apart == nil {
		return &subset{data: p.data, rows: rows, rest: others}, p.data.use(ctx, kernels)
	}
	own := ofSpool(p.apart.training, kernels)
	own.Gap = gap
	h, _, err := p.apart.without(ctx, others, own, nil)
	return &subset{data: &loaded{h, kernels}, rows: rows, owns: true}, err
}

// Close frees the data. A subset that is nil has none.
func (s *subset) Close() {
	if s != nil && s.owns {
		s.data.Close()
	}
}

// numbered returns the numbers that some of the rows have in the data.
func (s *subset) numbered(rows []int32) []int32 {
	// The store of a subset of its own has the rows in ascending order, so the number of a row
	// there is its place in the list.
	if !s.owns {
		return rows
	}
	local := make([]int32, len(rows))
	for k, i := range rows {
		at, _ := slices.BinarySearch(s.rows, i)
		local[k] = int32(at)
	}
	return local
}

// without returns the numbers of all rows that a training without the given rows leaves out:
// these, and rows of the data outside of the subset.
func (s *subset) without(rows []int32) []int32 { return united(s.rest, s.numbered(rows)) }

// dealer draws rows at random: of each class the same share, or whole groups.
type dealer struct {
	store  *dataset.Store
	groups []string // of each row the name of its group; nil if there are none
}

// draw draws count rows of a list and returns them ascending: of each class the same share, or
// whole groups. Whole groups may give a few rows more or less.
func (d *dealer) draw(rows []int32, count int, rng *rand.Rand) []int32 {
	if len(rows) <= count {
		return rows
	}
	return d.deal(rows, 1, float64(count)/float64(len(rows)), rng)[0]
}

// deal deals rows out to count folds, or takes a share of them. It treats classes and groups as
// Splits does.
func (d *dealer) deal(rows []int32, count int, share float64, rng *rand.Rand) [][]int32 {
	folds := make([][]int32, count)
	// DealGroups numbers the rows that it is given from 0. The loop below turns these places
	// into row numbers.
	if d.groups != nil {
		names := make([]string, len(rows))
		for k, i := range rows {
			names[k] = d.groups[i]
		}
		holdout.DealGroups(folds, names, rng, share)
		for _, f := range folds {
			for k, at := range f {
				f[k] = rows[at]
			}
		}
	} else {
		classes := make([][]int32, max(1, len(d.store.Classes())))
		for _, i := range rows {
			c := int32(0)
			if l := d.store.Labels(); l != nil {
				c = l[i]
			}
			classes[c] = append(classes[c], i)
		}
		dealLists(folds, classes, rng, share)
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds
}
