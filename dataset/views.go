package dataset

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// View is a named range of features. First and Last are 1-based and inclusive, as in the files.
type View struct {
	Name        string
	First, Last int
}

// MaxViews is the largest number of views of a file.
const MaxViews = 1 << 20

// ReadViews reads a views file with lines of the form "name first last". Further columns, blank
// lines and lines that start with # are ignored. Views may overlap, but names may not repeat.
// Faults are of class fail.Input and name the line.
func ReadViews(path string) ([]View, error) {
	t, err := openText(path, false)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	var views []View
	var lines []int32 // lines holds the line of each view.
	for {
		line, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		name, rest := field(line)
		if len(name) == 0 || name[0] == '#' {
			continue
		}
		v, err := parseView(name, rest)
		if err == nil && len(views) == MaxViews {
			err = fail.New(fail.Input, "more than %d views", MaxViews)
		}
		if err != nil {
			return nil, setPlace(err, &Row{File: t.name, Line: t.number})
		}
		// The capacity doubles, as append alone would take four times as much memory in all.
		if len(views) == cap(views) {
			more := min(len(views)+64, MaxViews-len(views))
			views, lines = slices.Grow(views, more), slices.Grow(lines, more)
		}
		views, lines = append(views, v), append(lines, int32(t.number))
	}
	if views == nil {
		return nil, fail.New(fail.Input, "no views").At(t.name, 0, 0)
	}
	if err := t.distinct(views, lines); err != nil {
		return nil, err
	}
	return views, nil
}

// ParseViews parses views, each of which is a text of the form "name first last". Faults are of class
// fail.Input.
func ParseViews(lines []string) ([]View, error) {
	if len(lines) == 0 || len(lines) > MaxViews {
		return nil, fail.New(fail.Input, "%d views", len(lines))
	}
	views, known := make([]View, 0, len(lines)), map[string]bool{}
	for _, line := range lines {
		name, rest := field([]byte(line))
		v, err := parseView(name, rest)
		if err != nil {
			return nil, err
		}
		if known[v.Name] {
			return nil, fail.New(fail.Input, "view %s is given twice", clip(v.Name))
		}
		known[v.Name] = true
		views = append(views, v)
	}
	return views, nil
}

// distinct returns an error at the first view whose name an earlier view has.
func (t *text) distinct(views []View, lines []int32) error {
	order := make([]int32, len(views))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(views[a].Name,
			views[b].Name), cmp.Compare(a, b))
	})
	again, before := int32(len(views)), int32(0)
	for k := 1; k < len(order); k++ {
		if i := order[k]; i < again && views[i].Name == views[order[k-1]].Name {
			again, before = i, order[k-1]
		}
	}
	if int(again) == len(views) {
		return nil
	}
	return fail.New(fail.Input, "view %s was given in line %d", clip(views[again].Name),
		lines[before]).At(t.name, int(lines[again]), 0)
}

// field splits the first word off a line.
func field(line []byte) (word, rest []byte) {
	line = bytes.TrimLeft(line, " \t\v\f\r")
	if i := bytes.IndexAny(line, " \t\v\f\r"); i >= 0 {
		return line[:i], line[i:]
	}
	return line, nil
}

func parseView(name, rest []byte) (View, error) {
	if len(name) > labeltext.Longest {
		return View{}, fail.New(fail.Input, "the name %s is longer than %d bytes", clip(name),
			labeltext.Longest)
	}
	v := View{Name: string(name)}
	if !labeltext.Printable(v.Name) {
		return View{}, fail.New(fail.Input, "the name %s is no text", clip(name))
	}
	for _, to := range []*int{&v.First, &v.Last} {
		var word []byte
		if word, rest = field(rest); len(word) == 0 {
			return View{}, fail.New(fail.Input, "a view is a name, its first and its last feature")
		}
		n, err := strconv.Atoi(string(word))
		if err != nil || n < 1 || n > math.MaxInt32 || !labeltext.AllDigits(string(word)) {
			return View{}, fail.New(fail.Input,
				"feature %s of view %s is not an integer from 1 to %d", clip(word), clip(v.Name),
				math.MaxInt32)
		}
		*to = n
	}
	if v.Last < v.First {
		return View{}, fail.New(fail.Input, "view %s ends at feature %d, before its first, %d",
			clip(v.Name), v.Last, v.First)
	}
	return v, nil
}
