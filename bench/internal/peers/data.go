package peers

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// peerProblem is a problem with one Gaussian kernel on which programs are compared.
type peerProblem struct {
	name  string
	train harness.DataSet
	test  *harness.DataSet
	// positive lists the labels of the positive class, if there are more than two classes.
	positive []string
	// scale multiplies every value.
	scale float64
	// points is 0 if all points are used.
	points   int
	gamma    string
	c        float64
	recorded *harness.RecordedSVM
}

// listProblems returns the problems whose data are found, restricted to the named sets if there are
// any. It notes what is absent.
func listProblems(s *harness.Session, r *harness.Report, only []string) []peerProblem {
	var list []peerProblem
	for i := range harness.LIBSVM {
		theirs := &harness.LIBSVM[i]
		if len(only) > 0 && !slices.Contains(only, theirs.Set) {
			continue
		}
		d, there := s.Data.Find(theirs.Set, "")
		if !there {
			r.Note("%s", s.Data.DescribeAbsence(theirs.Set))
			continue
		}
		p := peerProblem{name: theirs.Set, train: d, scale: 1, points: theirs.Points,
			gamma: theirs.Gamma, c: theirs.C, recorded: theirs}
		if t, there := s.Data.Find(theirs.Set, "t"); there {
			p.test = &t
		}
		if theirs.Set == "mnist" {
			p.name, p.positive, p.scale = "mnist even/odd", harness.EvenDigits, 1.0/255
		}
		if s.Quick {
			if theirs.Points > 0 {
				continue // The other row of this set is cut to the same points.
			}
			p.points, p.test, p.recorded = 1000, nil, nil
		}
		list = append(list, p)
	}
	if len(list) == 0 && len(only) == 0 {
		images := func(n int, seed uint64) harness.DataSet {
			return harness.DataSet{Name: "synthetic images",
				Synthetic: &harness.Synthetic{Kind: "images", Points: n, Features: 784, Seed: seed}}
		}
		p := peerProblem{name: "synthetic images", train: images(4000, 31), scale: 1, gamma: "0.02",
			c: 10}
		if s.Quick {
			p.points = 800
		}
		r.Note("Synthetic images stand in for them")
		list = append(list, p)
	}
	return list
}

// write writes the text files that every program reads. They have two labels and the shortest
// decimal numbers.
func (p *peerProblem) write(ctx context.Context, dir string) (train, test string, err error) {
	train = filepath.Join(dir, "train.txt")
	if err = p.copyRows(ctx, train, p.train, p.points); err != nil || p.test == nil {
		return train, "", err
	}
	test = filepath.Join(dir, "test.txt")
	return train, test, p.copyRows(ctx, test, *p.test, 0)
}

// copyRows writes the rows of a data set to a text file.
func (p *peerProblem) copyRows(ctx context.Context, path string, from harness.DataSet, limit int) error {
	src, err := from.Open("")
	if err != nil {
		return err
	}
	defer src.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = p.rows(ctx, w, dataset.Limit(src, limit))
	return errors.Join(err, w.Flush(), f.Close())
}

// rows writes the rows of a source as text.
func (p *peerProblem) rows(ctx context.Context, w io.Writer, src dataset.Source) error {
	var line []byte
	for {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		label := row.Label
		if p.positive != nil {
			label = map[bool]string{true: "1", false: "-1"}[slices.Contains(p.positive, label)]
		}
		line = append(line[:0], label...)
		for k, j := range row.Index {
			line = strconv.AppendInt(append(line, ' '), int64(j)+1, 10)
			line = strconv.AppendFloat(append(line, ':'), float64(float32(row.Value[k]*p.scale)),
				'g', -1, 32)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
}
