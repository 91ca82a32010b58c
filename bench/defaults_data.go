package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/model"
)

// defaultsSet is a public set of the comparison of defaults.
type defaultsSet struct {
	name, task, file, views string
}

// defaultsSets are the names of the sets of classes, of those with views among them, and of regressions.
var defaultsSets = map[string][]string{
	bigmkl.TaskClass: {
		"heart", "wine", "spambase", "magic", "pima", "sonar", "german-numeric", "wbc", "banana", "twonorm", "ringnorm", "a9a", "w8a",
		"ijcnn1", "musk2", "eeg", "susy30k", "higgs7k", "covtype20k", "mushrooms", "iris", "segment", "satimage", "optdigits", "pendigits",
		"letter", "shuttle", "thyroid", "multifeat", "mnist", "3sources", "advert998", "bbc4", "msrcv1",
	},
	bigmkl.TaskSVR: {"concrete", "motorcycle", "whitewine", "sleep"},
}

// listDefaultsSets returns the sets that are there, of those that were asked for.
func listDefaultsSets(s *session, only []string) (list []defaultsSet) {
	for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskSVR} {
		for _, name := range defaultsSets[task] {
			d, ok := s.findData(name, "")
			if !ok || only != nil && !slices.Contains(only, name) {
				continue
			}
			set := defaultsSet{name: name, task: task, file: d.File}
			if views := filepath.Join(filepath.Dir(d.File), name+".views.txt"); fileExists(views) {
				set.views = views
			}
			list = append(list, set)
		}
	}
	return list
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// defaultsData are the rows of a set, in memory.
type defaultsData struct {
	name, task string
	rows       []dataset.Row
	views      []dataset.View
	features   int
	classes    int
}

// read reads a set and draws at most so many of its rows.
func (set defaultsSet) read(seed uint64, most int) (*defaultsData, error) {
	d := &defaultsData{name: set.name, task: set.task}
	if set.views != "" {
		var err error
		if d.views, err = dataset.ReadViews(set.views); err != nil {
			return nil, err
		}
	}
	src, err := dataset.Open([]string{set.file}, dataset.ReadOptions{Labels: model.Labeling(set.task)})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	rng := rand.New(rand.NewPCG(seed, 1))
	for seen := 1; ; seen++ {
		r, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		// Each row is among those that are kept with the same probability (algorithm R of Waterman).
		at := len(d.rows)
		if at == most {
			if at = rng.IntN(seen); at >= most {
				continue
			}
		} else {
			d.rows = append(d.rows, dataset.Row{})
		}
		r.Index, r.Value = slices.Clone(r.Index), slices.Clone(r.Value)
		d.rows[at] = r
	}
	names := map[string]bool{}
	for _, r := range d.rows {
		names[r.Label] = true
		if n := len(r.Index); n > 0 {
			d.features = max(d.features, int(r.Index[n-1])+1)
		}
	}
	if d.classes = len(names); set.task == bigmkl.TaskClass && d.classes < 2 {
		return nil, fmt.Errorf("%s has one class", set.name)
	}
	return d, nil
}

// split draws which rows each split holds out: a share of every class, or of all rows of a regression.
func (d *defaultsData) split(seed uint64, splits int) (held [][]bool) {
	rng := rand.New(rand.NewPCG(seed, 2))
	groups := map[string][]int{}
	for i, r := range d.rows {
		label := r.Label
		if d.task == bigmkl.TaskSVR {
			label = ""
		}
		groups[label] = append(groups[label], i)
	}
	var names []string
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	for range splits {
		out := make([]bool, len(d.rows))
		for _, name := range names {
			group := slices.Clone(groups[name])
			rng.Shuffle(len(group), func(a, b int) { group[a], group[b] = group[b], group[a] })
			for _, i := range group[:int(defaultsShare*float64(len(group))+0.5)] {
				out[i] = true
			}
		}
		held = append(held, out)
	}
	return held
}
