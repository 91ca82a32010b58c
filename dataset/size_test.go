package dataset

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"bigmkl/internal/fail"
)

// TestDiskLimit: data that need more scratch disk than allowed are rejected with what they need, whether the rows as they
// came do not fit or the points beside them; and are read to the end.
func TestDiskLimit(t *testing.T) {
	var rows []Row
	for i := range 100 {
		rows = append(rows, Row{Label: [...]string{"-1", "1"}[i%2], Index: []int32{int32(i % 7), 39}, Value: []float64{1, float64(i + 1)}})
	}
	const spool = 100 * (24 + 2*8) // The values are float32.
	for _, c := range []struct {
		layout Layout
		points int64
		sparse bool
	}{
		{LayoutDense, 4 * 32 * 40 * 4, false}, {LayoutSparse, 101*8 + 200*8, true}, {LayoutAuto, 101*8 + 200*8, true},
	} {
		for _, limit := range []int64{1, spool - 1, spool, spool + c.points - 1} {
			src := &listedRows{rows: rows}
			_, err := Build(t.Context(), src, StoreOptions{Dir: t.TempDir(), Layout: c.layout, Disk: limit})
			var large *TooLarge
			if !errors.As(err, &large) || !errors.Is(err, fail.Budget) {
				t.Fatalf("%s, %d bytes: %v", c.layout, limit, err)
			}
			want := TooLarge{Size: Size{100, 40, 200, c.sparse, false, spool, c.points}, Limit: limit, Lengths: Lengths{2: 100}, Classes: []string{"-1", "1"}}
			if !reflect.DeepEqual(*large, want) {
				t.Errorf("%s, %d bytes: %+v, want %+v", c.layout, limit, *large, want)
			}
			if _, err := src.Next(); err != io.EOF {
				t.Error("rows are left in the source")
			}
		}
		s, err := Build(t.Context(), &listedRows{rows: rows}, StoreOptions{Dir: t.TempDir(), Layout: c.layout, Disk: spool + c.points})
		if err != nil {
			t.Fatal(err)
		}
		if want := (Size{100, 40, 200, c.sparse, false, spool, c.points}); s.Size() != want {
			t.Errorf("%s: %+v, want %+v", c.layout, s.Size(), want)
		}
		s.Close()
	}
	if err := (StoreOptions{Disk: -1}).validate(); !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
}

// listedRows is a source of rows.
type listedRows struct{ rows []Row }

func (l *listedRows) Next() (Row, error) {
	if len(l.rows) == 0 {
		return Row{}, io.EOF
	}
	r := l.rows[0]
	l.rows = l.rows[1:]
	return r, nil
}
