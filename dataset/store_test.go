package dataset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

func build(t testing.TB, text string, o StoreOptions) *Store {
	t.Helper()
	s, err := tryBuild(t, text, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tryBuild(t testing.TB, text string, o StoreOptions) (*Store, error) {
	t.Helper()
	o.Dir = t.TempDir()
	s, err := Build(context.Background(), NewReader(strings.NewReader(text), "in", ReadOptions{Impute: o.Impute}), o)
	if names, _ := os.ReadDir(o.Dir); len(names) != 0 && (err != nil || !files.NamesLast) {
		t.Errorf("%v left in the scratch folder", names)
	}
	if err == nil {
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return s, err
}

// randomText has features of several characters: feature 1 constant, 2 always present, 3 never present, the others
// sparse, of growing size and with an offset.
func randomText(seed uint64, n, d int) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%d 1:2.5 2:%g", rng.IntN(3), rng.NormFloat64()*1e-3+1e3)
		for j := 4; j <= d; j++ {
			if rng.IntN(3) == 0 {
				fmt.Fprintf(&b, " %d:%g", j, math.Pow(10, float64(j%7-3))*(rng.NormFloat64()+float64(j%5)))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func denseRows(rows []Row, d int) [][]float64 {
	x := make([][]float64, len(rows))
	for i, r := range rows {
		x[i] = make([]float64, d)
		for k, j := range r.Index {
			x[i][j] = r.Value[k]
		}
	}
	return x
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

// checkStore compares panels, rows, means and Dense with each other and with the raw rows.
func checkStore(t *testing.T, s *Store, rows []Row) {
	t.Helper()
	if s.Len() != len(rows) || s.Panels() != (len(rows)+31)/32 || len(s.Labels()) != len(rows) {
		t.Fatalf("%d points in %d panels, %d labels; want %d", s.Len(), s.Panels(), len(s.Labels()), len(rows))
	}
	d := s.Dim()
	x := denseRows(rows, d)
	dense, gathered, mean := make([]float32, d), make([]float32, d), make([]float64, d)
	for i, r := range rows {
		if err := s.Scaling().Dense(r, dense); err != nil {
			t.Fatal(err)
		}
		s.Row(i, gathered)
		for j := range d {
			want := x[i][j]
			if sc := s.Scaling(); len(sc.Offset) > 0 {
				want = (want - sc.Offset[j]) * sc.Factor[j]
			} else if len(sc.Factor) > 0 {
				want *= sc.Factor[0]
			}
			in := gathered[j]
			if !s.Sparse() {
				in = s.Panel(i / 32)[j*32+i%32]
			}
			if in != float32(want) || math.Float32bits(in) != math.Float32bits(dense[j]) || math.Float32bits(in) != math.Float32bits(gathered[j]) {
				t.Fatalf("point %d, feature %d: panel %v, Dense %v, Row %v, want %v", i, j+1, in, dense[j], gathered[j], want)
			}
			mean[j] += float64(in) / float64(len(rows))
		}
	}
	for j, m := range s.Mean() {
		if !near(float64(m), mean[j], 1e-6) {
			t.Errorf("mean of feature %d is %v, want %v", j+1, m, mean[j])
		}
	}
	for lane := len(rows) % 32; !s.Sparse() && lane != 0 && lane < 32; lane++ {
		for j := range d {
			if v := s.Panel(s.Panels() - 1)[j*32+lane]; v != 0 {
				t.Fatalf("lane %d beyond the last point holds %v", lane, v)
			}
		}
	}
}

func TestClasses(t *testing.T) {
	text := "10 1:1\n+9 1:1\n9.0 1:1\n-1 1:1\n10 1:1\n"
	for _, c := range []struct {
		o       StoreOptions
		text    string
		classes []string
		labels  []int32
	}{
		{StoreOptions{}, text, []string{"-1", "9", "10"}, []int32{2, 1, 1, 0, 2}},
		{StoreOptions{}, strings.ReplaceAll(text, "-1", "b"), []string{"10", "9", "b"}, []int32{0, 1, 1, 2, 0}},
		{StoreOptions{Limit: 2}, text, []string{"9", "10"}, []int32{1, 0}},
		{StoreOptions{Positive: []string{"+9", "-1e0"}}, text, []string{"-1", "1"}, []int32{0, 1, 1, 1, 0}},
		{StoreOptions{Positive: []string{"10"}}, "1 1:1\n10 1:1\n-1 1:1\n", []string{"-1", "1"}, []int32{0, 1, 0}},
		{StoreOptions{Positive: []string{"a"}}, "a 1:1\na\n", []string{"1"}, []int32{0, 0}},
	} {
		s := build(t, c.text, c.o)
		if !slices.Equal(s.Classes(), c.classes) || !slices.Equal(s.Labels(), c.labels) {
			t.Errorf("%v: classes %v, labels %v", c.o, s.Classes(), s.Labels())
		}
	}
	_, err := tryBuild(t, text, StoreOptions{Positive: []string{"9", "10.0", "8", "7"}})
	wantFault(t, err, fail.Input, "", 0, 0, `"7", "8"`)
	_, err = tryBuild(t, text, StoreOptions{Positive: []string{"10"}, Scale: "x", Limit: -1, Features: -1, Memory: -1})
	for _, part := range []string{"scaling", "limit", "features", "memory"} {
		if !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s is not named in: %v", part, err)
		}
	}
	if _, err := tryBuild(t, text, StoreOptions{Positive: []string{"1.5"}}); !errors.Is(err, fail.Usage) {
		t.Errorf("positive 1.5: %v", err)
	}
}

func TestBuildShapes(t *testing.T) {
	if s := build(t, "1\n2\n", StoreOptions{Scale: ScaleStandard}); s.Dim() != 0 || s.Len() != 2 || s.Panels() != 1 || len(s.Panel(0)) != 0 {
		t.Errorf("no features: %d x %d", s.Len(), s.Dim())
	}
	for _, kind := range []string{ScaleNone, ScaleMinMax, ScaleStandard, ScaleGlobal} {
		s := build(t, "1\n2\n", StoreOptions{Features: 3, Scale: kind})
		if s.Dim() != 3 {
			t.Errorf("%d features, want 3", s.Dim())
		}
		for _, v := range s.Panel(0) {
			if v != 0 {
				t.Errorf("%s of zeros: %v", kind, v)
			}
		}
	}
	if s := build(t, "1 5:1\n", StoreOptions{Features: 3}); s.Dim() != 5 {
		t.Errorf("%d features, want 5", s.Dim())
	}
	_, err := tryBuild(t, "", StoreOptions{})
	wantFault(t, err, fail.Input, "in", 0, 0, "no rows")
	_, err = tryBuild(t, "1 1:1\n1:1\n", StoreOptions{})
	wantFault(t, err, fail.Input, "in", 2, 0, "no label")
	_, err = tryBuild(t, "1 1:1\n1 2147483647:1\n", StoreOptions{Memory: 1 << 30})
	if large := (*TooLarge)(nil); !errors.As(err, &large) || !errors.Is(err, fail.Budget) || large.Features != math.MaxInt32 || large.Memory <= 1<<30 {
		t.Errorf("2147483647 features: %v", err)
	}
	_, err = Build(context.Background(), NewReader(strings.NewReader("1 1:1"), "in", ReadOptions{}), StoreOptions{Dir: t.TempDir() + "/missing"})
	if !errors.Is(err, fail.Input) {
		t.Errorf("missing scratch folder: %v", err)
	}
}

func TestBuildFromIterator(t *testing.T) {
	row := func(index []int32, value []float64, weight float64) Row {
		return Row{Label: "+1", Index: index, Value: value, Weight: weight}
	}
	of := func(rows ...Row) (*Store, error) {
		src := FromSeq(slices.Values(rows))
		defer src.Close()
		s, err := Build(context.Background(), src, StoreOptions{Dir: t.TempDir()})
		if err == nil {
			t.Cleanup(func() { s.Close() })
		}
		return s, err
	}
	s, err := of(row([]int32{0, 2}, []float64{1, 2}, 0), row(nil, nil, 1))
	if err != nil || s.Weights() != nil || s.Dim() != 3 || s.Classes()[0] != "1" {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = of(row([]int32{0}, []float64{1}, 0), row(nil, nil, 2.5))
	if err != nil || !slices.Equal(s.Weights(), []float64{1, 2.5}) {
		t.Errorf("weights of %+v, %v", s, err)
	}
	for _, bad := range []Row{
		row([]int32{0, 0}, []float64{1, 1}, 1), row([]int32{-1}, []float64{1}, 1), row([]int32{1, 0}, []float64{1, 1}, 1),
		row([]int32{0}, nil, 1), row([]int32{0}, []float64{math.NaN()}, 1), row([]int32{0}, []float64{math.Inf(-1)}, 1),
		row(nil, nil, -1), row(nil, nil, math.NaN()), row([]int32{math.MaxInt32}, []float64{1}, 1), {}, {Label: "0.5"},
	} {
		if _, err := of(row(nil, nil, 1), bad); !errors.Is(err, fail.Input) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := of(); !errors.Is(err, fail.Input) {
		t.Errorf("no rows: %v", err)
	}
}

func TestBuildWeights(t *testing.T) {
	data := write(t, "data", "1 1:1\n2 1:2\n1 1:3\n")
	for weights, want := range map[string][]float64{"1\n1.0\n1e0\n": nil, "1\n1\n3\n": {1, 1, 3}, "2\n1\n1\n": {2, 1, 1}, "0\n1\n1\n": nil, "3\n-0\n1\n": {3, 1}} {
		r, err := Open([]string{data}, ReadOptions{Weights: write(t, "w", weights)})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		s, err := Build(context.Background(), r, StoreOptions{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if !slices.Equal(s.Weights(), want) || (want == nil) != (s.Weights() == nil) {
			t.Errorf("%q: %v", weights, s.Weights())
		}
	}
}

func TestBuildCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	endless := FromSeq(func(yield func(Row) bool) {
		for yield(Row{Label: "a"}) {
			if n++; n == 3*memoryEvery {
				cancel()
			}
		}
	})
	defer endless.Close()
	if _, err := Build(ctx, endless, StoreOptions{Dir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestFingerprint(t *testing.T) {
	base := "1 1:1 2:3\n-1 2:5\n1 1:2\n"
	of := func(text string, o StoreOptions) uint64 {
		s, _ := layouts(t, text, o)
		return s.Fingerprint()
	}
	want := of(base, StoreOptions{})
	// The same data in other words.
	for _, same := range []string{strings.ReplaceAll(base, "\n", " # x\r\n"), strings.Replace(base, "1 1:1", "+1.0 1:1e0", 1),
		strings.Replace(base, "-1 2", "-1 1:0 2", 1), strings.Replace(base, "-1 2", "-1 1:-0 2", 1)} {
		if got := of(same, StoreOptions{}); got != want {
			t.Errorf("%q: %x, want %x", same, got, want)
		}
	}
	if got := of(base+"1 1:9\n", StoreOptions{Limit: 3}); got != want {
		t.Errorf("limited to the same rows: %x, want %x", got, want)
	}
	seen := map[uint64]string{want: "base"}
	other := func(name string, got uint64) {
		if before, ok := seen[got]; ok {
			t.Errorf("%s and %s have the same fingerprint", name, before)
		}
		seen[got] = name
	}
	other("value", of(strings.Replace(base, "5", "5.1", 1), StoreOptions{}))
	other("order", of("-1 2:5\n1 1:1 2:3\n1 1:2\n", StoreOptions{}))
	other("label", of(strings.Replace(base, "-1", "1", 1), StoreOptions{}))
	other("class name", of(strings.Replace(base, "-1", "0", 1), StoreOptions{}))
	other("scaled", of(base, StoreOptions{Scale: ScaleMinMax}))
	other("wider", of(base, StoreOptions{Features: 3}))
	other("fewer", of(base, StoreOptions{Limit: 2}))
	other("positive", of(base, StoreOptions{Positive: []string{"-1"}}))
	weighted := func(yield func(Row) bool) {
		for _, r := range mustParse(t, base) {
			r.Weight = 2
			if !yield(r) {
				return
			}
		}
	}
	s, err := Build(context.Background(), FromSeq(weighted), StoreOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other("weights", s.Fingerprint())
	// A change of this number makes every model reject the data that it was trained on.
	if recorded := uint64(0x53b04d6dc34665c9); want != recorded {
		t.Errorf("the fingerprint is %#x, was %#x", want, recorded)
	}
}

// TestSpoolDiskFull writes to the device that is always full.
func TestSpoolDiskFull(t *testing.T) {
	full, err := files.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	s := &Spool{file: full, out: bufio.NewWriterSize(full, 64)}
	defer s.Close()
	row := Row{Index: make([]int32, 100), Value: make([]float64, 100)}
	if err := s.Add(&row); !errors.Is(err, fail.Budget) {
		t.Errorf("write: %v", err)
	}
	if err := s.Rewind(); !errors.Is(err, fail.Budget) {
		t.Errorf("flush: %v", err)
	}
}

// TestTooLarge: sizes beyond 63 bits are rejected and do not wrap.
func TestTooLarge(t *testing.T) {
	if _, err := panelBytes(math.MaxInt32, math.MaxInt32); !errors.Is(err, fail.Budget) {
		t.Errorf("%v", err)
	}
	for _, nonzeros := range []int64{math.MaxInt64, math.MaxInt64 / 8, math.MaxInt32 * math.MaxInt32} {
		if _, err := csrBytes(math.MaxInt32, nonzeros); !errors.Is(err, fail.Budget) {
			t.Errorf("%d non-zeros: %v", nonzeros, err)
		}
	}
	if size, err := csrBytes(3, 5); err != nil || size != 4*8+5*8 {
		t.Errorf("%d bytes, %v", size, err)
	}
	if size, err := panelBytes(33, 2); err != nil || size != 2*2*32*4 {
		t.Errorf("%d bytes, %v", size, err)
	}
}

// TestKeepOnly: points whose memory was given up are as they were.
func TestKeepOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	const n = 3000
	for range n {
		fmt.Fprintf(&text, "%d", 1-2*rng.IntN(2))
		for j := range 40 {
			if rng.IntN(3) == 0 {
				fmt.Fprintf(&text, " %d:%g", j+1, rng.NormFloat64())
			}
		}
		text.WriteString("\n")
	}
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		s := build(t, text.String(), StoreOptions{Layout: layout})
		want := make([][]float32, n)
		for i := range want {
			want[i] = make([]float32, s.Dim())
			s.Row(i, want[i])
		}
		got := make([]float32, s.Dim())
		for _, r := range [][2]int{{0, n}, {0, 0}, {n, n}, {1000, 2017}, {992, 1024}} {
			if err := s.KeepOnly(r[0], r[1]); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if s.Row(i, got); !slices.Equal(got, want[i]) {
					t.Fatalf("%s: row %d is %v after all but %v were given up, and was %v", layout, i, got, r, want[i])
				}
			}
		}
	}
}
