package train

import (
	"context"
	"errors"
	"io"
	"strings"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// readRows keeps the rows in memory with all of their features, and scales them. They are refused
// where they exceed the memory budget by themselves.
func (p *projecting) readRows(ctx context.Context, src dataset.Source) error {
	type features struct {
		index []int32
		value []float64
	}
	var list []features
	most := budget.Reading(p.options.Budget.Memory)
	terms := int64(0)
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
		terms += int64(len(r.Index))
		list = append(list, features{append([]int32(nil), r.Index...),
			append([]float64(nil), r.Value...)})
		r.Index, r.Value = nil, nil
		if p.options.Problem.Multiclass != "" {
			for label := range strings.SplitSeq(r.Label, ",") {
				p.labels[label] = true
			}
		}
		p.rows = append(p.rows, r)
		if 12*terms+p.bytes() > most {
			return fail.New(fail.Budget, "a projection keeps all rows in memory, and %d rows of %d "+
				"features exceed the memory budget", len(p.rows), p.d).
				WithHint("a larger --memory or fewer rows")
		}
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

// bytes is what the rows take, with the dual variables that trials start from.
func (p *projecting) bytes() int64 {
	return int64(len(p.rows)) * (200 + 8*int64(p.d) + 12*int64(max(1, len(p.labels))))
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
