package train

import (
	"context"
	"errors"
	"io"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// read keeps the rows in memory with all of their features, which may take half of the budget.
func (p *projecting) read(ctx context.Context, src dataset.Source) error {
	type features struct {
		index []int32
		value []float64
	}
	var list []features
	most := budget.Allowance(p.options.Budget.Memory) / 2
	terms := int64(0)
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
		p.rows = append(p.rows, r)
		need := 12*terms + int64(len(p.rows))*(200+8*int64(p.d))
		if need > most {
			return fail.New(fail.Budget, "a projection keeps all rows in memory, and %d rows of %d "+
				"features exceed half of the memory budget", len(p.rows), p.d).
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
