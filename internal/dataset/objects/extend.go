package objects

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"bigmkl/internal/fail"
)

// Extended returns the objects of a model with further ones, from files as Read has them. Features are scaled as in
// the training. Objects that the model has must have the same features in the files. Without texts it returns the
// set itself.
func (s *Set) Extended(ctx context.Context, texts []string) (*Set, error) {
	if len(texts) == 0 {
		return s, nil
	}
	if s == nil {
		return nil, fail.New(fail.Usage, "--objects with a model of rows with features").WithHint("leave --objects out")
	}
	all := &Set{Kinds: slices.Clone(s.Kinds), Columns: s.Columns, Matrices: s.Matrices}
	for _, text := range texts {
		names, file, _ := strings.Cut(text, "=")
		if file == "" {
			return nil, withoutFile(text)
		}
		first, _, _ := strings.Cut(names, ",")
		kind := -1
		for name := range strings.SplitSeq(names, ",") {
			c := slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
			if c < 0 {
				return nil, fail.New(fail.Usage, "--objects: the model has no objects %s", fail.Quote(name)).
					WithHint("its objects are %s", strings.Join(s.Names().Columns(), ", "))
			}
			if kind >= 0 && s.Columns[c].Kind != kind {
				return nil, fail.New(fail.Usage, "--objects: %s and %s are of two kinds in the model", fail.Quote(first), fail.Quote(name)).
					WithHint("give a file for each")
			}
			kind = s.Columns[c].Kind
		}
		// A further file of a kind adds to the objects of the first.
		own, err := all.Kinds[kind].extended(ctx, file, s.ColumnsOf(kind))
		if err != nil {
			return nil, err
		}
		if own.Count > s.Kinds[kind].Count && slices.ContainsFunc(s.Matrices, func(x Matrix) bool { return x.Kind == kind }) {
			return nil, fail.New(fail.Input, "a matrix has the values of the %d objects %s of the training alone, and here are %d",
				s.Kinds[kind].Count, first, own.Count).At(file, 0, 0)
		}
		all.Kinds[kind] = own
	}
	return all, nil
}

// extended returns the objects of a kind and of a file. columns are the columns that name them.
func (k *Kind) extended(ctx context.Context, file string, columns []string) (*Kind, error) {
	own := *k
	own.columns = columns
	own.File, own.Names, own.Values = file, slices.Clone(k.Names), slices.Clone(k.Values)
	src, err := own.open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	seen := map[string]bool{}
	x := make([]float32, k.Dim)
	for at := 0; ; at++ {
		if at%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, name, err := src.next()
		if errors.Is(err, io.EOF) {
			own.index()
			return &own, nil
		}
		if err != nil {
			return nil, err
		}
		if src.named() != (k.Names != nil) {
			return nil, fail.New(fail.Input, "objects with names in one of training and prediction alone").At(file, 0, 0)
		}
		if src.width() != k.Dim {
			return nil, fail.New(fail.Input, "%d features, and the objects of the training have %d", src.width(), k.Dim).At(file, row.Line, 0)
		}
		if err := k.Scaling.Dense(row, x); err != nil {
			return nil, err
		}
		i, known := at, at < k.Count
		if src.named() {
			if seen[name] {
				return nil, fail.New(fail.Input, "the object %s is there twice", fail.Word(name)).At(file, row.Line, 1)
			}
			seen[name] = true
			var n int32
			n, known = k.find([]byte(name))
			i = int(n)
		}
		if known {
			if !slices.Equal(x, k.Values[i*k.Dim:(i+1)*k.Dim]) {
				return nil, fail.New(fail.Input, "the object %s had other features in the training", fail.Word(k.Name(i))).
					At(file, row.Line, 0).WithHint("give a changed object a name of its own")
			}
			continue
		}
		if own.Count++; own.Count > MostObjects {
			return nil, fail.New(fail.Input, "more than %d objects", MostObjects).At(file, row.Line, 0)
		}
		own.Values = append(own.Values, x...)
		if src.named() {
			own.Names = append(own.Names, name)
		}
	}
}

// flags writes the flags that give the files of the objects, in the order of the columns.
func (s *Set) flags() string {
	var list []string
	for kind := range s.Kinds {
		list = append(list, "--objects "+strings.Join(s.ColumnsOf(kind), ",")+"=FILE")
	}
	return strings.Join(list, " ")
}

// Compare returns an error of class fail.Input unless files, as Read has them, have the very objects of the set: the same
// names, in the same order, and the same features once they are scaled.
func (s *Set) Compare(ctx context.Context, texts []string) error {
	given, err := Read(ctx, texts)
	if err != nil {
		return err
	}
	if given == nil {
		return fail.New(fail.Usage, "the model was trained on objects, whose files are needed").WithHint("%s", s.flags())
	}
	if !slices.Equal(given.Columns, s.Columns) {
		return fail.New(fail.Usage, "the files of the objects are not given as in the training").WithHint("%s", s.flags())
	}
	for i, k := range s.Kinds {
		g := given.Kinds[i]
		if g.Count != k.Count || g.Dim != k.Dim || !slices.Equal(g.Names, k.Names) {
			return fail.New(fail.Input, "%d objects of %d features, and the training had other ones, %d of %d", g.Count, g.Dim, k.Count, k.Dim).
				At(g.File, 0, 0)
		}
		if _, err := k.extended(ctx, g.File, s.ColumnsOf(i)); err != nil {
			return err
		}
	}
	return nil
}
