package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"bigmkl/dataset"
	"bigmkl/mmap"
)

// keptRows are the rows of a projection in memory, with all of their features. Each trial projects them
// again.
type keptRows struct {
	list    []dataset.Row   // without features
	x       []float64       // rows x d, scaled
	d       int             // number of features
	labels  map[string]bool // of rows, where there are several classifiers
	scaling dataset.Scaling
}

// len returns the number of rows.
func (k *keptRows) len() int { return len(k.list) }

// features returns the features of a row.
func (k *keptRows) features(i int32) []float64 { return k.x[int(i)*k.d:][:k.d] }

// bytes is what so many rows take, with the dual variables that trials start from.
func (k *keptRows) bytes(n int) int64 {
	return int64(n) * (200 + 8*int64(k.d) + 12*int64(max(1, len(k.labels))))
}

// count takes note of a row: its number of features, and its labels if they are of several
// classifiers.
func (k *keptRows) count(r dataset.Row, several bool) {
	if n := len(r.Index); n > 0 {
		k.d = max(k.d, int(r.Index[n-1])+1)
	}
	if several {
		for label := range strings.SplitSeq(r.Label, ",") {
			k.labels[strings.Clone(label)] = true
		}
	}
}

// take takes the rows of src. exceeds reports whether a number of rows and of features other than 0
// takes more than the memory: then the rest of the rows is counted alone. take returns both numbers, and
// whether all rows were taken.
func (k *keptRows) take(ctx context.Context, src dataset.Source, limit int, several bool,
	exceeds func(n int, terms int64) bool) (n int, terms int64, all bool, err error) {
	type features struct {
		index []int32
		value []float64
	}
	var list []features
	exceeded := false
	k.labels = map[string]bool{}
	for rows := dataset.Limit(src, limit); ; {
		r, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return 0, 0, false, err
		}
		k.count(r, several)
		n, terms = n+1, terms+int64(len(r.Index))
		if exceeded = exceeded || exceeds(n, terms); exceeded {
			list, k.list = nil, nil
			continue
		}
		list = append(list, features{slices.Clone(r.Index), slices.Clone(r.Value)})
		r.Index, r.Value = nil, nil
		k.list = append(k.list, r)
	}
	// A source may list features that no row has, or list no features.
	if p, ok := src.(dataset.PointSource); ok {
		k.d = max(k.d, p.Width(n))
	}
	if exceeded {
		return n, terms, false, nil
	}
	k.x = make([]float64, len(list)*k.d)
	for i, f := range list {
		for e, j := range f.index {
			k.x[i*k.d+int(j)] = f.value[e]
		}
	}
	return n, terms, true, nil
}

// scale learns the scaling that is asked for, and scales the rows.
func (k *keptRows) scale(o *Data) error {
	s, err := dataset.LearnScaling(func() dataset.Source { return k.source() }, o.Scale, k.d, o.Views)
	if err != nil {
		return err
	}
	if k.scaling = *s; s.Kind == dataset.ScaleNone {
		return nil
	}
	scaled, rows := make([]float32, k.d), k.source()
	for i := range k.list {
		r, err := rows.Next()
		if err == nil {
			err = s.Dense(r, scaled)
		}
		if err != nil {
			return err
		}
		for j, x := range scaled {
			k.x[i*k.d+j] = float64(x)
		}
	}
	return nil
}

// hash returns a hash of all that is known of the rows.
func (k *keptRows) hash() uint64 {
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(k.x))
	for _, r := range k.list {
		fmt.Fprintf(&h, "%d:%s %x %x,", len(r.Label), r.Label, math.Float64bits(r.Target), math.Float64bits(r.Weight))
	}
	return h.Sum64()
}

// source yields the rows.
func (k *keptRows) source() dataset.Source { return &keptSource{rows: k, index: k.index()} }

// index returns the numbers of all features.
func (k *keptRows) index() []int32 {
	index := make([]int32, k.d)
	for j := range index {
		index[j] = int32(j)
	}
	return index
}

// keptSource is a source of rows in memory.
type keptSource struct {
	rows  *keptRows
	at    int
	index []int32
}

// Next implements dataset.Source.
func (s *keptSource) Next() (dataset.Row, error) {
	if s.at == len(s.rows.list) {
		return dataset.Row{}, io.EOF
	}
	r := s.rows.list[s.at]
	r.Index, r.Value = s.index, s.rows.features(int32(s.at))
	s.at++
	return r, nil
}
