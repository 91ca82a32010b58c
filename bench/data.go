package main

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/model"
)

// data says where rows come from: a file, or a generator with a seed.
type dataSet struct {
	Name      string           `json:"name"`
	File      string           `json:"file,omitempty"`
	Synthetic *synthetic       `json:"synthetic,omitempty"`
	Sequences dataset.Alphabet `json:"sequences,omitempty"`
}

// closer is a source that has to be closed.
type closableSource interface {
	dataset.Source
	Close() error
}

// open reads the labels as the task has it.
func (d dataSet) open(task string) (closableSource, error) {
	if d.Synthetic != nil {
		return dataset.FromSeq(d.Synthetic.rows()), nil
	}
	return dataset.Open([]string{d.File}, dataset.ReadOptions{Labels: model.Labeling(task), Sequences: d.Sequences})
}

// find looks for a set's file, such as mnist/mnist.libsvm.gz or, for part "t", mnist/mnist.t.libsvm.gz.
func (s *session) findData(name, part string) (dataSet, bool) {
	if s.data == "" {
		return dataSet{}, false
	}
	file := name
	if part != "" {
		file += "." + part
	}
	path := filepath.Join(s.data, name, file+".libsvm.gz")
	if _, err := os.Stat(path); err != nil {
		return dataSet{}, false
	}
	return dataSet{Name: file, File: path}, true
}

// absent words what is missing of the data.
func (s *session) describeAbsence(name string) string {
	if s.data == "" {
		return fmt.Sprintf("%s is absent: neither --data nor BIGMKL_DATA names a folder of data sets", name)
	}
	return fmt.Sprintf("%s is absent: no %s/%s.libsvm.gz in the folder of the data sets", name, name, name)
}

// even digits are the positive class of MNIST.
var evenDigits = []string{"0", "2", "4", "6", "8"}

// digits is MNIST, or a stand-in drawn in the program, and how its two classes are told apart.
func (s *session) findDigits(r *experimentReport) (d dataSet, positive []string) {
	if d, ok := s.findData("mnist", ""); ok {
		return d, evenDigits
	}
	r.note("%s. Synthetic images of 784 pixels stand in for it", s.describeAbsence("mnist"))
	return dataSet{Name: "synthetic images", Synthetic: &synthetic{Kind: "images", Points: 60000, Features: 784, Seed: 31}}, nil
}

// synthetic draws rows of two classes from a seed. The first n rows are the same for every number of points.
type synthetic struct {
	Kind     string `json:"kind"` // images, patterns, which are images of ten classes, dense, or sites of sequences
	Points   int    `json:"points"`
	Features int    `json:"features"`
	Seed     uint64 `json:"seed"`
}

func (s *synthetic) rows() iter.Seq[dataset.Row] {
	switch s.Kind {
	case "dense":
		return s.dense()
	case "sites":
		return s.sites()
	}
	return s.images()
}

// dense has two normal clouds, all features different from zero, whose centres are half a standard deviation apart in
// the first five features.
func (s *synthetic) dense() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		rng := rand.New(rand.NewPCG(s.Seed, 1))
		row := s.row()
		for range s.Points {
			y := rng.IntN(2)
			for j := range row.Value {
				row.Value[j] = rng.NormFloat64()
				if j < 5 {
					row.Value[j] += float64(y) - 0.5
				}
			}
			row.Label, row.Target = classLabel(y), float64(2*y-1)
			if !yield(row) {
				return
			}
		}
	}
}

// images has ten patterns, each of a fifth of the features; a row is a pattern of which three in ten features are missing
// and the rest vary. Odd and even patterns are the classes, with one label in fifty wrong. With 784 features the squared
// distances are about those of MNIST.
func (s *synthetic) images() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		const patterns, lit, missing, wrong = 10, 0.2, 0.3, 0.02
		rng := rand.New(rand.NewPCG(s.Seed, 2))
		ideal := make([][]float64, patterns)
		for p := range ideal {
			ideal[p] = make([]float64, s.Features)
			for j := range ideal[p] {
				if rng.Float64() < lit {
					ideal[p][j] = 0.3 + 0.7*rng.Float64()
				}
			}
		}
		row := s.row()
		for range s.Points {
			p := rng.IntN(patterns)
			row.Index, row.Value = row.Index[:0], row.Value[:0]
			for j, v := range ideal[p] {
				if v > 0 && rng.Float64() >= missing {
					row.Index, row.Value = append(row.Index, int32(j)), append(row.Value, min(1, v*(0.5+rng.Float64())))
				}
			}
			y := p % 2
			if rng.Float64() < wrong {
				y = 1 - y
			}
			if row.Label = classLabel(y); s.Kind == "patterns" {
				row.Label = strconv.Itoa(p)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// sites has sequences of letters drawn alike; one in four has a pattern in its middle, with every fifth letter of it wrong.
func (s *synthetic) sites() iter.Seq[dataset.Row] {
	const letters, pattern, positive, wrong = "ACGT", "TTTTCAGGATGACC", 0.25, 0.2
	return func(yield func(dataset.Row) bool) {
		rng := rand.New(rand.NewPCG(s.Seed, 3))
		text := make([]byte, s.Features)
		var row dataset.Row
		for range s.Points {
			y := 0
			for j := range text {
				text[j] = letters[rng.IntN(4)]
			}
			if rng.Float64() < positive {
				y = 1
				for j := range min(len(pattern), len(text)/2) {
					if rng.Float64() >= wrong {
						text[len(text)/2+j] = pattern[j]
					}
				}
			}
			var err error
			if row.Index, row.Value, err = dataset.DNA.Sequence(text, row.Index[:0], row.Value[:0]); err != nil {
				panic(err) // letters of our own
			}
			row.Label = classLabel(y)
			if !yield(row) {
				return
			}
		}
	}
}

func (s *synthetic) row() dataset.Row {
	row := dataset.Row{Index: make([]int32, s.Features), Value: make([]float64, s.Features)}
	for j := range row.Index {
		row.Index[j] = int32(j)
	}
	return row
}

func classLabel(y int) string {
	if y == 0 {
		return "-1"
	}
	return "1"
}
