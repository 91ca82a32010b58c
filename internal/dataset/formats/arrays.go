package formats

import (
	"cmp"
	"context"
	"io"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/arrays"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// arrayFiles is the format of arrays.
var arrayFiles = format{is: "an array", endings: []string{".npy", ".npz"}, magic: arrays.Magic, views: true,
	open: openArrays}

// openArrays opens arrays, which are views of the same rows.
func openArrays(_ context.Context, args []string, _ io.Reader, o Options,
	text dataset.ReadOptions) (*source, error) {
	var inputs []arrays.Input
	for _, arg := range args {
		view, path := SplitName(arg)
		inputs = append(inputs, arrays.Input{Path: path, View: view})
	}
	if err := cmp.Or(o.checkIndicator(inputs[0].Path), o.checkFormat(inputs[0].Path, "arrays")); err != nil {
		return nil, err
	}
	if o.Sequences != dataset.Numbers {
		return nil, fail.New(fail.Input, "sequences are text, and this is an array").
			At(inputs[0].Path, 0, 0)
	}
	a, err := arrays.Open(inputs, arrays.Options{Labels: o.Labels, Trained: o.Trained,
		Views: o.Views, Features: o.Features, Imputes: dataset.Imputes(o.Impute)})
	if err != nil {
		return nil, err
	}
	r, err := dataset.Join(a, inputs[0].Path, text)
	if err != nil {
		a.Close()
		return nil, err
	}
	return &source{Source: r, Closer: r, views: a.Views()}, nil
}

// Paths returns the files that the arguments of a command name, without the names of views.
func Paths(args []string) []string {
	var paths []string
	for _, arg := range args {
		_, path := SplitName(arg)
		paths = append(paths, path)
	}
	return paths
}

// SplitName splits NAME=FILE, an argument of a command. Anything else is a file, and so is NAME=FILE if there is a file of
// this very name.
func SplitName(arg string) (name, path string) {
	name, path, ok := strings.Cut(arg, "=")
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' ||
			r == '.'
	}
	if !ok || name == "" || path == "" || strings.Trim(name, "0123456789") == "" ||
		strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return "", arg
	}
	if _, err := files.Stat(arg); err == nil {
		return "", arg
	}
	return name, path
}
