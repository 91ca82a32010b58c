package heldout

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// defaultsSet is a data set of the comparison of defaults.
type defaultsSet struct {
	harness.DataSet
	task string
	// views is the file of the views, or "".
	views string
	// most is the number of rows that are enough of it, or 0.
	most int
}

// defaultsSets are the names of the sets of two classes, of several, of several with views, and of
// regressions. The groups differ in what a default has to get right: the scaling, the number of
// classifiers, the views, the unit of the targets.
// All are in the folder of public data, whose sources its documents name.
var defaultsSets = []struct {
	task  string
	names []string
}{
	{bigmkl.TaskClass, []string{
		"heart", "pima", "sonar", "german-numeric", "wbc", "spambase", "magic", "banana", "twonorm", "ringnorm", "a9a", "w8a", "ijcnn1",
		"musk2", "eeg", "susy30k", "higgs7k", "mushrooms", "skin", "colon",
	}},
	{bigmkl.TaskClass, []string{
		"wine", "iris", "thyroid", "segment", "satimage", "optdigits", "pendigits", "letter", "shuttle", "covtype20k", "connect-4", "kddcup99", "mnist",
		"olivetti",
	}},
	{bigmkl.TaskClass, []string{"multifeat", "advert998", "3sources", "bbc4", "bbcsport2", "msrcv1", "orl4"}},
	{bigmkl.TaskSVR, []string{"concrete", "motorcycle", "whitewine", "sleep"}},
}

// fewerRows are sets of which fewer rows are enough: wide ones, and those with many classifiers.
// letter has 26 classes, and mnist 784 features.
var fewerRows = map[string]int{"mnist": 2000, "letter": 2000}

// fileOf names files that have not the name of their folder.
var fileOf = map[string]string{"wbc": "wbc683"}

// listDefaultsSets returns the sets that are there, of those that were asked for. A quick run has two
// of them, or generated rows. A misspelt name is an error and not an absent set.
func listDefaultsSets(s *harness.Session, r *harness.Report, only []string) ([]defaultsSet, error) {
	if s.Quick {
		only = harness.OrDefault(only, []string{"heart", "motorcycle"})
	}
	var list []defaultsSet
	// known has all names for the message, and absent the sets to note.
	var known, absent []string
	for _, of := range defaultsSets {
		for _, name := range of.names {
			if known = append(known, name); len(only) > 0 && !slices.Contains(only, name) {
				continue
			}
			file := name
			if other, ok := fileOf[name]; ok {
				file = other
			}
			// Absent sets are noted together, because a computer may have only a few.
			d, ok := s.Data.FindFile(name, file)
			if !ok {
				absent = append(absent, name)
				continue
			}
			d.Name = name
			set := defaultsSet{DataSet: d, task: of.task, most: fewerRows[name]}
			// A file of views beside the data makes the default kernels one list for each view.
			if views := filepath.Join(filepath.Dir(d.File), name+".views.txt"); fileExists(views) {
				set.views = views
			}
			list = append(list, set)
		}
	}
	for _, name := range only {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no set %s (one of %s)", name, strings.Join(known, ", "))
		}
	}
	if len(absent) > 0 {
		r.Note("absent: %s. %s", strings.Join(absent, ", "), s.Data.DescribeAbsence(absent[0]))
	}
	// A test of the experiment needs no data.
	if s.Quick && len(list) == 0 {
		r.Note("synthetic rows stand in for them")
		for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskSVR} {
			list = append(list, defaultsSet{task: task, DataSet: harness.DataSet{Name: "synthetic rows, " + task,
				Synthetic: &harness.Synthetic{Kind: "dense", Points: 120, Features: 8, Seed: 35}}})
		}
	}
	return list, nil
}

// fileExists reports whether a path exists.
func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readViews reads the views of the set, or none.
func (set defaultsSet) readViews() ([]dataset.View, error) {
	if set.views == "" {
		return nil, nil
	}
	return dataset.ReadViews(set.views)
}
