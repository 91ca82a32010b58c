package selection

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/kernelspec"
)

// figuresOfModel returns the figures of a model on some rows.
func figuresOfModel(t *testing.T, m *bigmkl.Model, rows []dataset.Row) map[string]float64 {
	t.Helper()
	s, err := score.Of(t.Context(), m, datasettest.Stream(rows), bigmkl.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	for _, f := range s.Evaluation().Figures {
		figures[f.Key] = f.Value
	}
	return figures
}

// matrixOf returns the inner products of three features of the rows as a .npy file.
func matrixOf(rows []dataset.Row, first int) []byte {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", len(rows), len(rows))
	head += strings.Repeat(" ", 118-len(head)-1) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(head)))...)
	b = append(b, head...)
	for _, x := range rows {
		for _, y := range rows {
			sum := 0.0
			for j := first; j < first+3; j++ {
				sum += x.Value[j] * y.Value[j]
			}
			b, _ = binary.Append(b, binary.LittleEndian, sum)
		}
	}
	return b
}

// sameJSON reports whether two files have the same values.
func sameJSON[T any](a, b []byte) bool {
	var x, y T
	read := func(text []byte, to *T) bool {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		return d.Decode(to) == nil
	}
	return read(a, &x) && read(b, &y) && reflect.DeepEqual(x, y)
}

// TestOrigins: kernels are divided by groups, views and ranges of features, and the features of a source are those that
// no other one looks at.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for specs, want := range map[string]string{
		"linear@each-view,gauss:1@noise":                                  "strong [0] 3, noise [1 4] 3, first [2] 3, second [3] 3",
		"linear@strong,prod(linear@noise,hist@first)":                     "strong [0] 3, first and noise [1] 6",
		"linear@1,linear@2-3,gauss:1@2-3,linear@5+7":                      "feature 1 [0] 1, features 2-3 [1 2] 2, features 5+7 [3] 2",
		"linear@1-3,linear@3-4,linear@6":                                  "features 1-3 [0] 0, features 3-4 [1] 0, feature 6 [2] 1",
		"linear@noise,gauss:1":                                            "noise [0] 0, gauss:1 [1] 0",
		"linear@noise group=a,linear@first group=b,linear@strong group=a": "a [0 2] 6, b [1] 3",
	} {
		b, err := kernelspec.Expand(splitSpecs(t, specs), kernelspec.Context{Features: 12, Views: fourViews})
		if err != nil {
			t.Fatal(specs, err)
		}
		var got []string
		for _, o := range originsOf(b, EachSource) {
			got = append(got, fmt.Sprintf("%s %v %d", o.name, o.kernels, len(o.own)))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, want %s", specs, text, want)
		}
		if n := len(originsOf(b, EachKernel)); n != len(b.Kernels) {
			t.Errorf("%s: %d sources of %d kernels", specs, n, len(b.Kernels))
		}
	}
}

func splitSpecs(t *testing.T, specs string) []string {
	t.Helper()
	list, err := kernelspec.Split(specs)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSwap: a swap keeps all features of other sources, and permutes the features of its source among the given rows.
func TestSwap(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 39)
	rows := datasettest.Clouds(rng, 50, 9)
	spool, err := dataset.NewSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	for i := range rows {
		if i%5 == 0 {
			rows[i].Value[0] = 1. / 3 // no float32
		}
		if err := spool.Add(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := spool.Rewind(); err != nil {
		t.Fatal(err)
	}
	some := []int32{3, 4, 10, 20, 21, 49}
	s := newSwap(spool, []int32{2, 3, 7}).mix(some, rng)
	part := func(r dataset.Row, of bool) (text string) {
		for k, j := range r.Index {
			if s.replaces(j) == of {
				text += fmt.Sprintf("%d:%g ", j, r.Value[k])
			}
		}
		return text
	}
	var before, after []string
	for i := range rows {
		r, err := spool.Next()
		if err != nil {
			t.Fatal(err)
		}
		r.Label = rows[i].Label
		mixed, err := s.of(i, r)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(mixed.Index) || part(mixed, false) != part(rows[i], false) {
			t.Errorf("row %d: %v", i, mixed)
		}
		if !slices.Contains(some, int32(i)) {
			if part(mixed, true) != part(rows[i], true) {
				t.Errorf("row %d is not among those that are permuted", i)
			}
			continue
		}
		before, after = append(before, part(rows[i], true)), append(after, part(mixed, true))
	}
	if slices.Equal(before, after) {
		t.Error("nothing is permuted")
	}
	slices.Sort(before)
	slices.Sort(after)
	if !slices.Equal(before, after) {
		t.Errorf("%q became %q", before, after)
	}
}
