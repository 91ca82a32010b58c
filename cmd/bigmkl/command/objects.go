package command

import (
	"fmt"
	"strings"

	"bigmkl/internal/dataset/objects"
)

// objectsJSON describes the objects of one file of --objects, to which rows refer by their names or
// numbers. Scaling and Matrices are known once a model is trained.
// A model has such objects if its kernels compare objects and not rows, for example drugs and proteins.
type objectsJSON struct {
	// Columns are the columns of the rows that name such objects. Matrices has the numbers of the
	// precomputed kernels between them.
	Columns []string `json:"columns"`
	// Count is the number of objects, and Features the length of their vectors.
	Count    int `json:"count"`
	Features int `json:"features"`
	// Named is false if rows have numbers of objects, from 0, in place of names.
	Named         bool   `json:"named"`
	Scaling       string `json:"scaling,omitempty"`
	ScalingChoice string `json:"scaling_choice,omitempty"`
	Matrices      []int  `json:"matrices,omitempty"`
}

// newObjectsJSON converts the objects that rows name, nil if rows have features.
func newObjectsJSON(s *objects.Set) (list []objectsJSON) {
	if s == nil {
		return nil
	}
	// A kind is a file. Several columns of a row may name objects of the same kind.
	for number, k := range s.Kinds {
		j := objectsJSON{Count: k.Count, Features: k.Dim, Named: k.Names != nil, Scaling: k.Scaling.Kind,
			ScalingChoice: k.Scaling.Choice, Columns: s.ColumnsOf(number), Matrices: s.MatricesOf(number)}
		list = append(list, j)
	}
	return list
}

// describeObjects describes the objects that rows name, such as "drug: 3 with names and 2 features".
func describeObjects(s *objects.Set) string {
	var parts []string
	for _, k := range newObjectsJSON(s) {
		text := fmt.Sprintf("%s: %d with ", strings.Join(k.Columns, " and "), k.Count)
		if k.Named {
			text += "names and "
		}
		text += count(k.Features, "feature")
		// parts has one entry for each earlier kind, so its length is the number of this one.
		if k.Scaling != "" {
			text += ", scaling " + describeScaling(&s.Kinds[len(parts)].Scaling)
		}
		if n := len(k.Matrices); n == 1 {
			text += ", and a matrix"
		} else if n > 1 {
			text += fmt.Sprintf(", and %d matrices", n)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
