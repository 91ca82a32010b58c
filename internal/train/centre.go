package train

import (
	"bigmkl/chunking"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// checkCentred returns an error of class fail.Usage for options that do not go with kernels that are
// centred, if some are.
func (o *Options) checkCentred() error {
	if !o.Kernels.centred {
		return nil
	}
	for _, f := range []struct {
		is   bool
		what string
	}{
		{o.Problem.traits().componentColumns, o.Problem.traits().name},
		{o.Gating.Gated(), "gates"},
		{o.Init != nil, "a model to start from"},
		{o.Solver.Precision == chunking.Single, "single precision, in which too little is left of values near their mean"},
	} {
		if f.is {
			return fail.New(fail.Usage, "norm=centred does not go with %s", f.what)
		}
	}
	return nil
}

// addCentre gives a model the rows at whose mean its kernels are centred, if any are.
func (a *assembler) addCentre(m *predict.Model) {
	k := a.kernels
	if k.CentreMeans == nil {
		return
	}
	c := &model.Centre{Rows: k.Centre, Means: k.CentreMeans}
	var set kernels.Set
	set.Gather(a.store, c.Rows)
	if !set.Sparse {
		c.Vectors = set.Dense
	} else {
		c.Sparse = &model.Sparse{Start: []int64{0}, Index: []int32{}, Value: []float32{}}
		for i := range c.Rows {
			c.Sparse.Index = append(c.Sparse.Index, set.Index[i]...)
			c.Sparse.Value = append(c.Sparse.Value, set.Value[i]...)
			c.Sparse.Start = append(c.Sparse.Start, int64(len(c.Sparse.Index)))
		}
	}
	m.Centre = c
}
