package dataset

import (
	"context"
	"errors"
	"io"

	"bigmkl/internal/dataset/datahash"
	"bigmkl/mmap"
)

// Points are the points of a file that holds them packed as Build packs rows that it does not
// scale. A store can be made of them without reading a row: they are mapped, and what a pass over
// the rows would have found is in the file.
type Points struct {
	Rows, Features int
	Nonzeros       int64
	// Map is the file. The store closes it.
	Map *mmap.Map
	// Panels are the points if they are stored densely. Offset, Index and Value are those that are
	// stored as their non-zeros, where Sparse is set: point i has the entries Offset[i] to
	// Offset[i+1]-1. The offsets and the indices have been checked, because a wrong one would lead
	// out of the arrays.
	Sparse bool
	Panels []float32
	Offset []int64
	Index  []int32
	Value  []float32
	// Mean is the mean of each feature as float32, and Digest the state of a datahash.Hasher behind the last
	// row.
	Mean   []float32
	Digest []byte
	// Label returns label and target of a row, and its place.
	Label func(i int, row *Row) error
	// Check reads a part of the file and compares it with its checksums. A store does so beside what is
	// done with it. Unchanged returns an error if the file has been written to since it was opened.
	// Both read File, which the store closes.
	Check     func(ctx context.Context, share Share) error
	Unchanged func() error
	File      io.Closer

	choice string // Scaling.Choice
}

// Close frees points that no store has taken.
func (p *Points) Close() error { return errors.Join(p.Map.Close(), p.File.Close()) }

// PointSource is a source that may have its points packed.
type PointSource interface {
	Source
	// Points returns the points, or nil if there are none.
	Points(ctx context.Context) (*Points, error)
	// Width returns the number of features if the source has so many rows, and 0 if it has others
	// or the rows determine it. The rows of libsvm text may end with a zero, which is not an
	// entry once it is packed.
	Width(rows int) int
}

// pointsOf returns the points of a source if it has what Build would make of its rows.
func pointsOf(ctx context.Context, src Source, o StoreOptions) (*Points, error) {
	from, ok := src.(PointSource)
	kind, _ := ParseScale(o.Scale)
	if !ok || kind != ScaleNone && kind != ScaleAuto || Imputes(o.Impute) || o.Sequences != Numbers {
		return nil, nil
	}
	p, err := from.Points(ctx)
	if p == nil || err != nil {
		return nil, err
	}
	// The fingerprint begins with the number of features, so the digest is valid for this number
	// alone.
	if o.Features > p.Features || o.Limit > 0 && o.Limit < p.Rows ||
		o.Layout == LayoutSparse && !p.Sparse || o.Layout == LayoutDense && p.Sparse {
		return nil, p.Close()
	}
	if kind == ScaleAuto {
		s, err := p.chooseScaling(ctx, o)
		if err != nil || s.Kind != ScaleNone {
			return nil, errors.Join(err, p.Close())
		}
		p.choice = s.Choice
	}
	return p, nil
}

// chooseScaling returns what ScaleAuto chooses for the rows of the points, in one pass over them.
func (p *Points) chooseScaling(ctx context.Context, o StoreOptions) (Scaling, error) {
	if len(o.Views) == 0 && p.Features > manyFeatures && float64(p.Nonzeros) < sparseFeatures*float64(p.Rows)*float64(p.Features) {
		return Scaling{Kind: ScaleNone, Choice: sparseChoice}, nil
	}
	l := newAutoLearner(p.Features, o.Flags, o.Views, false)
	for again := true; again; again = l.another(p.Rows) {
		if err := p.addTo(ctx, l); err != nil {
			return Scaling{}, err
		}
	}
	return l.finish(p.Rows)
}

// addTo gives a learner all rows of the points.
func (p *Points) addTo(ctx context.Context, l scaleLearner) error {
	var index []int32
	var value []float64
	for i := range p.Rows {
		if i%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		index, value = index[:0], value[:0]
		if p.Sparse {
			from, to := p.Offset[i], p.Offset[i+1]
			for k, j := range p.Index[from:to] {
				index, value = append(index, j), append(value, float64(p.Value[from+int64(k)]))
			}
		} else {
			panel, lane := p.Panels[i/PanelWidth*p.Features*PanelWidth:], i%PanelWidth
			for j := range p.Features {
				index, value = append(index, int32(j)), append(value, float64(panel[j*PanelWidth+lane]))
			}
		}
		l.add(index, value)
	}
	return nil
}

// adopt makes the store of points that are packed. It reads the labels alone.
func (b *builder) adopt(p *Points, o StoreOptions) error {
	s := &b.store
	s.data, s.n, s.d, s.given = p.Map, p.Rows, p.Features, p.Features
	s.sparse, s.panels, s.rows = p.Sparse, p.Panels, csr{p.Offset, p.Index, p.Value}
	s.scaling, s.mean = Scaling{Kind: ScaleNone, Choice: p.choice}, p.Mean
	s.size = Size{Rows: s.n, Features: s.d, Nonzeros: p.Nonzeros, Sparse: s.sparse,
		Mapped: true}
	var err error
	if s.sparse {
		s.size.Points, err = csrBytes(s.n, p.Nonzeros)
	} else {
		s.size.Points, err = panelBytes(s.n, s.d)
	}
	if err != nil {
		return err
	}
	if need := readingBytes(s.n, s.d); b.memory > 0 && need > b.memory {
		return &TooLarge{Size: s.size, Memory: need, Limit: b.memory,
			Lengths: Lengths{s.d: s.n}}
	}
	classes, err := newClassTable(o.Positive, o.Labels)
	if err != nil {
		return err
	}
	var row Row
	for i := range s.n {
		if i%memoryEvery == 0 {
			if err := b.ctx.Err(); err != nil {
				return err
			}
		}
		if o.Labels == Ignored {
			break
		}
		if err := p.Label(i, &row); err != nil {
			return err
		}
		if err := b.label(&row, o.Labels, classes); err != nil {
			return err
		}
	}
	if s.labels != nil {
		if s.classes, err = classes.finish(s.labels); err != nil {
			return err
		}
	}
	h, err := datahash.Resume(p.Digest)
	if err != nil {
		return err
	}
	h.Targets(s.targets)
	h.Targets(s.uppers)
	s.fingerprint = h.Sum(s.labels, s.classes, nil)
	s.fileCheck = newFileCheck(p, o.Share)
	return nil
}
