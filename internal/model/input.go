package model

import (
	"bigmkl/dataset"
)

// Input is what a model takes of the rows of data.
type Input struct {
	features   int
	flags      bool // is true if kernels use which views a row lacks
	views      []dataset.View
	occurring  *dataset.Occurring
	scaling    *dataset.Scaling
	projection *Projection
}

// Input returns what the model takes of the rows of data.
func (m *Model) Input() Input {
	return Input{m.Features, m.Fill != nil, m.Views, m.Occurring, &m.Scaling, m.Family.Projection()}
}

// Plain returns the number of features of a row of the model except for the flags of views that it
// may lack.
func (in Input) Plain() int {
	if !in.flags {
		return in.features
	}
	return max(0, in.features-len(in.views))
}

// Features returns the number of features of a row as the data have it: without flags of views,
// before a projection, and those that do not occur among them.
func (in Input) Features() int {
	if in.occurring != nil {
		return in.occurring.Width
	}
	if in.projection != nil {
		return in.projection.Features
	}
	return in.Plain()
}

// Scaling returns the scaling of the features of the data, before a projection.
func (in Input) Scaling() *dataset.Scaling {
	if in.projection != nil {
		return &in.projection.Scaling
	}
	return in.scaling
}

// Source returns a source of the rows of src as the model takes them: with the flags of the views
// that they lack, if the model has kernels for that, or projected. missing states which.
func (in Input) Source(src dataset.Source, missing *dataset.Missing) dataset.Source {
	if in.projection != nil {
		return in.projection.Source(src)
	}
	if !in.flags {
		return in.occurring.Number(src)
	}
	return dataset.WithFlags(src, in.views, missing, false)
}
