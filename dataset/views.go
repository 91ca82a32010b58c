package dataset

import (
	"bytes"
	"io"
	"math"
	"strconv"

	"bigmkl/internal/fail"
)

// View is a named range of features, 1-based and inclusive as in the files.
type View struct {
	Name        string
	First, Last int
}

// ReadViews reads a views file: lines "name first last"; further columns, blank lines and # lines are ignored. Views may
// overlap, names may not repeat.
func ReadViews(path string) ([]View, error) {
	t, err := openText(path, false)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	var views []View
	seen := map[string]int{}
	for {
		line, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		fields := bytes.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		v, err := parseView(fields)
		if err == nil && seen[v.Name] > 0 {
			err = fail.New(fail.Input, "view %s was given in line %d", clip(v.Name), seen[v.Name])
		}
		if err != nil {
			return nil, place(err, &Row{File: t.name, Line: t.number})
		}
		seen[v.Name] = t.number
		views = append(views, v)
	}
	if views == nil {
		return nil, fail.New(fail.Input, "no views").At(t.name, 0, 0)
	}
	return views, nil
}

func parseView(fields [][]byte) (View, error) {
	if len(fields) < 3 {
		return View{}, fail.New(fail.Input, "a view is a name, its first and its last feature")
	}
	v := View{Name: string(fields[0])}
	for i, to := range []*int{&v.First, &v.Last} {
		n, err := strconv.Atoi(string(fields[i+1]))
		if err != nil || n < 1 || n > math.MaxInt32 || !allDigits(string(fields[i+1])) {
			return View{}, fail.New(fail.Input, "feature %s of view %s is not an integer from 1 to %d", clip(fields[i+1]), clip(v.Name), math.MaxInt32)
		}
		*to = n
	}
	if v.Last < v.First {
		return View{}, fail.New(fail.Input, "view %s ends at feature %d, before its first, %d", clip(v.Name), v.Last, v.First)
	}
	return v, nil
}
