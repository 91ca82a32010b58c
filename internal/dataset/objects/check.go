package objects

import (
	"errors"
	"fmt"
	"strings"

	"bigmkl/internal/dataset/labeltext"
)

// Index makes a set of a model ready to find objects by their names. It returns an error if two objects of a kind have the
// same name.
func (s *Set) Index() error {
	for _, k := range s.Kinds {
		if _, again := k.index(); again >= 0 {
			return errors.New("two objects have the same name")
		}
	}
	return nil
}

// Validate returns an error if the parts of a set with scaled features do not fit each other.
func (s *Set) Validate() error {
	if len(s.Kinds) == 0 || len(s.Columns) == 0 {
		return errors.New("no objects")
	}
	used, known := make([]bool, len(s.Kinds)), map[string]bool{}
	for _, c := range s.Columns {
		if c.Kind < 0 || c.Kind >= len(s.Kinds) || !isName(c.Name) || known[c.Name] {
			return errors.New("a column of objects without a name of its own, or without objects")
		}
		used[c.Kind], known[c.Name] = true, true
	}
	for i, k := range s.Kinds {
		if !used[i] || k.Count < 1 || k.Count > MostObjects || len(k.Values) != k.Count*k.Dim ||
			k.Names != nil && len(k.Names) != k.Count {
			return fmt.Errorf("%d values and %d names of %d objects with %d features", len(k.Values), len(k.Names), k.Count, k.Dim)
		}
		if err := k.Scaling.Validate(k.Dim); err != nil {
			return err
		}
		if k.Scaling.Imputes() {
			return errors.New("missing values of objects")
		}
		for _, name := range k.Names {
			if !isObjectName(name) {
				return errors.New("an object without a name")
			}
		}
	}
	for _, x := range s.Matrices {
		if x.Kind < 0 || x.Kind >= len(s.Kinds) || len(x.Values) != s.Kinds[x.Kind].Count*s.Kinds[x.Kind].Count {
			return errors.New("a matrix of other objects")
		}
	}
	return nil
}

// isObjectName reports whether an object may have a name.
func isObjectName(name string) bool {
	return name != "" && len(name) <= mostObjectName && labeltext.Printable(name) && strings.TrimSpace(name) == name
}
