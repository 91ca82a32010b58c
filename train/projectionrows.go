package train

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/internal/descent"
	"bigmkl/internal/fail"
)

// readRows keeps the rows in memory with all of their features, and scales them. Where they exceed the
// memory budget by themselves, the rest of them is counted, so that the refusal names a budget that does.
func (p *projecting) readRows(ctx context.Context, src dataset.Source) error {
	type features struct {
		index []int32
		value []float64
	}
	var list []features
	most := budget.Reading(p.options.Budget.Memory)
	n, terms, exceeded := 0, int64(0), false
	p.labels = map[string]bool{}
	for {
		r, err := src.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if n := len(r.Index); n > 0 {
			p.d = max(p.d, int(r.Index[n-1])+1)
		}
		n, terms = n+1, terms+int64(len(r.Index))
		if p.options.Problem.Multiclass != "" {
			for label := range strings.SplitSeq(r.Label, ",") {
				p.labels[strings.Clone(label)] = true
			}
		}
		if exceeded = exceeded || 12*terms+p.bytesOf(n)+p.descentBytes(n) > most; exceeded {
			list, p.rows = nil, nil
			continue
		}
		list = append(list, features{append([]int32(nil), r.Index...),
			append([]float64(nil), r.Value...)})
		r.Index, r.Value = nil, nil
		p.rows = append(p.rows, r)
	}
	if exceeded {
		return p.refuse(n, 12*terms+p.bytesOf(n)+p.descentBytes(n))
	}
	if p.d == 0 {
		return fail.New(fail.Input, "no row has a feature")
	}
	p.x = make([]float64, len(list)*p.d)
	for i, f := range list {
		for e, j := range f.index {
			p.x[i*p.d+int(j)] = f.value[e]
		}
	}
	return p.scale()
}

// bytesOf is what so many rows take, with the dual variables that trials start from.
func (p *projecting) bytesOf(n int) int64 {
	return int64(n) * (200 + 8*int64(p.d) + 12*int64(max(1, len(p.labels))))
}

const (
	// projectionVectors is the number of vectors that a descent of matrices has: pairs of steps and slopes, the
	// points, slopes and directions of a trial, and what the factors of matrices need besides.
	projectionVectors = 2*descent.Memory + 12
	// smallDescent is what the share of the program has room for, in bytes.
	smallDescent = 8 << 20
)

// descentBytes is what the slope and the descent take on so many rows: the rows of the support vectors once
// more, and the vectors.
func (p *projecting) descentBytes(n int) int64 {
	return max(0, 8*int64(n)*int64(p.d)+8*projectionVectors*p.bank.Size(p.d)-smallDescent)
}

// refuse returns the error of class fail.Budget about so many rows, which take more than the budget while
// they are read. The budget that it names is one that does for a trial, too.
func (p *projecting) refuse(n int, reading int64) error {
	if err := p.check(); err != nil {
		return err
	}
	specs, features := p.options.Kernels.Specs, p.d
	if len(p.bank.Forms) > 0 {
		list, err := p.bank.Specs(p.d)
		if err != nil {
			return err
		}
		specs = strings.Join(list, ",")
		if !p.plain() {
			features = 0
		}
		for _, f := range p.bank.Forms {
			features += f.Width(p.d)
		}
	}
	o := p.trialOptions(specs, p.options.Solver.Gap)
	o.projected, o.descent = p.bytesOf(n), p.descentBytes(n)
	w, err := Open(o)
	if err != nil {
		return err
	}
	outline, err := w.outline()
	if err != nil {
		return err
	}
	return outline.RefuseReading(reading, dataset.Size{Rows: n, Features: features}, slices.Sorted(maps.Keys(p.labels)))
}

// scale learns the scaling that the options ask for, and scales the rows.
func (p *projecting) scale() error {
	if len(p.bank.Forms) == 0 {
		return nil // Trials scale the features themselves.
	}
	s, err := dataset.LearnScaling(func() dataset.Source { return p.source() }, p.options.Data.Scale, p.d, p.options.Data.Views)
	if err != nil {
		return err
	}
	if p.scaling = *s; s.Kind == dataset.ScaleNone {
		return nil
	}
	scaled, rows := make([]float32, p.d), p.source()
	for i := range p.rows {
		r, err := rows.Next()
		if err == nil {
			err = s.Dense(r, scaled)
		}
		if err != nil {
			return err
		}
		for j, x := range scaled {
			p.x[i*p.d+j] = float64(x)
		}
	}
	return nil
}

// source yields the rows in memory.
func (p *projecting) source() dataset.Source {
	index := make([]int32, p.d)
	for j := range index {
		index[j] = int32(j)
	}
	return &kept{p: p, index: index}
}

// kept is a source of rows in memory.
type kept struct {
	p     *projecting
	at    int
	index []int32
}

// Next implements dataset.Source.
func (s *kept) Next() (dataset.Row, error) {
	if s.at == len(s.p.rows) {
		return dataset.Row{}, io.EOF
	}
	r := s.p.rows[s.at]
	r.Index, r.Value = s.index, s.p.x[s.at*s.p.d:][:s.p.d]
	s.at++
	return r, nil
}
