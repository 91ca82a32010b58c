package harness

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// DataSet states where rows come from, which is a file or a generator with a seed. It goes to
// child processes as JSON, which open the rows themselves.
// File is empty for a generator, and Sequences for rows of numbers.
type DataSet struct {
	Name      string           `json:"name"`
	File      string           `json:"file,omitempty"`
	Synthetic *Synthetic       `json:"synthetic,omitempty"`
	Sequences dataset.Alphabet `json:"sequences,omitempty"`
}

// closableSource is a source that has to be closed.
// Both kinds of sources have Close, which a Source need not have.
type closableSource interface {
	dataset.Source
	Close() error
}

// Open opens the rows. Labels are read as the task needs them.
// A generator has classes as labels and 1 or -1 as targets, so it serves both kinds of tasks.
func (d DataSet) Open(task string) (closableSource, error) {
	if d.Synthetic != nil {
		return dataset.FromSeq(d.Synthetic.rows()), nil
	}
	return dataset.Open([]string{d.File},
		dataset.ReadOptions{Labels: model.Labeling(task), Sequences: d.Sequences})
}

// Folder is the path of the data sets, each in a folder of its own, or "" if there are none.
type Folder string

// Find looks for the file of a data set, such as mnist/mnist.libsvm.gz, or
// mnist/mnist.t.libsvm.gz for its part "t".
func (f Folder) Find(name, part string) (DataSet, bool) {
	file := name
	if part != "" {
		file += "." + part
	}
	return f.FindFile(name, file)
}

// FindFile looks for a file in the folder of a data set, such as wbc/wbc683.libsvm.gz.
func (f Folder) FindFile(folder, file string) (DataSet, bool) {
	if f == "" {
		return DataSet{}, false
	}
	// All sets have one format, so a name is enough.
	path := filepath.Join(string(f), folder, file+".libsvm.gz")
	if _, err := os.Stat(path); err != nil {
		return DataSet{}, false
	}
	return DataSet{Name: file, File: path}, true
}

// DescribeAbsence states why a data set was not found.
func (f Folder) DescribeAbsence(name string) string {
	if f == "" {
		return fmt.Sprintf("%s is absent: neither --data nor BIGMKL_DATA names a folder of data sets", name)
	}
	return fmt.Sprintf("%s is absent: no %s/%s.libsvm.gz in the folder of the data sets", name,
		name, name)
}

// EvenDigits are the positive class of MNIST.
// Kloft (2011) separates them from the odd digits in the runtime experiments.
var EvenDigits = []string{"0", "2", "4", "6", "8"}

// FindDigits returns MNIST, or generated images if it is absent, and the labels of the positive
// class. Experiments of speed can run on any computer so: the generated images have similar distances
// and sparsity.
func (f Folder) FindDigits(r *Report) (d DataSet, positive []string) {
	if d, ok := f.Find("mnist", ""); ok {
		return d, EvenDigits
	}
	// The note warns a reader, because times on other data cannot be compared.
	r.Note("%s. Synthetic images of 784 pixels stand in for it", f.DescribeAbsence("mnist"))
	return DataSet{Name: "synthetic images",
		Synthetic: &Synthetic{Kind: "images", Points: 60000, Features: 784, Seed: 31}}, nil
}

// Synthetic generates rows from a seed, for experiments whose data are absent and for quick
// runs. The first n rows are the same for every number of points, so sizes can be compared.
type Synthetic struct {
	// Kind is images, patterns (images of ten classes), dense, noisy, text, or sites (sequences).
	Kind string `json:"kind"`
	// A generator yields exactly Points rows of Features features.
	Points   int    `json:"points"`
	Features int    `json:"features"`
	Seed     uint64 `json:"seed"`
}

// rows returns the generator for the kind of rows.
func (s *Synthetic) rows() iter.Seq[dataset.Row] {
	switch s.Kind {
	case "dense":
		return s.dense()
	case "sites":
		return s.sites()
	case NoisyKind:
		return s.noisy()
	case TextKind:
		return s.words()
	}
	return s.images()
}

// dense generates two normal clouds whose features are all different from zero. Their centres are
// half a standard deviation apart in each of the first five features. All other features are noise.
func (s *Synthetic) dense() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		// The second number separates the kinds of generators.
		rng := rand.New(rand.NewPCG(s.Seed, 1))
		row := s.row()
		for range s.Points {
			y := rng.IntN(2)
			// Every feature has a value, so rows are dense.
			for j := range row.Value {
				row.Value[j] = rng.NormFloat64()
				if j < 5 {
					row.Value[j] += float64(y) - 0.5
				}
			}
			row.Label, row.Target = ClassLabel(y), float64(2*y-1)
			if !yield(row) {
				return
			}
		}
	}
}

// images generates rows from ten patterns, each of which uses a fifth of the features. Three in ten
// features of a row are missing and the others vary. Odd and even patterns are the two classes, and
// one label in fifty is wrong. With 784 features the squared distances are close to those of MNIST. The
// wrong labels keep the problem from being separable, so the number of support vectors grows with the
// rows.
func (s *Synthetic) images() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		const patterns, lit, missing, wrong = 10, 0.2, 0.3, 0.02
		rng := rand.New(rand.NewPCG(s.Seed, 2))
		// The patterns are drawn first, so they do not depend on the number of points.
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
			// Patterns are equally frequent.
			p := rng.IntN(patterns)
			row.Index, row.Value = row.Index[:0], row.Value[:0]
			for j, v := range ideal[p] {
				if v > 0 && rng.Float64() >= missing {
					row.Index, row.Value = append(row.Index, int32(j)), append(row.Value,
						min(1, v*(0.5+rng.Float64())))
				}
			}
			// The class of two is the parity of the pattern.
			y := p % 2
			if rng.Float64() < wrong {
				y = 1 - y
			}
			// Ten classes have no wrong labels.
			if row.Label = ClassLabel(y); s.Kind == "patterns" {
				row.Label = strconv.Itoa(p)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// sites generates random sequences of letters. One in four has a pattern in its middle, of which
// every fifth letter is wrong. They imitate splice sites: a motif at a fixed place, in the presence of
// errors.
func (s *Synthetic) sites() iter.Seq[dataset.Row] {
	const letters, pattern, positive, wrong = "ACGT", "TTTTCAGGATGACC", 0.25, 0.2
	return func(yield func(dataset.Row) bool) {
		rng := rand.New(rand.NewPCG(s.Seed, 3))
		// A feature is a position, and its value a letter.
		text := make([]byte, s.Features)
		var row dataset.Row
		for range s.Points {
			y := 0
			for j := range text {
				text[j] = letters[rng.IntN(4)]
			}
			// A wrong letter keeps the random one, which may be the right one by chance.
			if rng.Float64() < positive {
				y = 1
				for j := range min(len(pattern), len(text)/2) {
					if rng.Float64() >= wrong {
						text[len(text)/2+j] = pattern[j]
					}
				}
			}
			var err error
			if row.Index, row.Value, err = dataset.DNA.Sequence(text, row.Index[:0],
				row.Value[:0]); err != nil {
				panic(err) // The letters are our own and cannot be wrong.
			}
			row.Label = ClassLabel(y)
			if !yield(row) {
				return
			}
		}
	}
}

// row returns a row with all features. The generators overwrite its values for each row, as sources may
// do.
func (s *Synthetic) row() dataset.Row {
	row := dataset.Row{Index: make([]int32, s.Features), Value: make([]float64, s.Features)}
	for j := range row.Index {
		row.Index[j] = int32(j)
	}
	return row
}

// ClassLabel returns the label of class 0 or 1.
// The labels are the labels of LIBSVM's files.
func ClassLabel(y int) string {
	if y == 0 {
		return "-1"
	}
	return "1"
}
