package dataset

import (
	"errors"
	"io"
	"slices"
	"testing"
)

// TestNarrow: features beyond the features of a model are left out and counted, rows that have none are as
// they were, and rows that do not fit together are left for others to reject.
func TestNarrow(t *testing.T) {
	rows := []Row{
		{Index: []int32{0, 2, 3, 9}, Value: []float64{1, 2, 3, 4}},
		{Index: []int32{1}, Value: []float64{5}},
		{Index: []int32{7, 8}, Value: []float64{0, 6}},
		{},
		{Index: []int32{3, 4}, Value: []float64{1}},
	}
	s := Narrow(FromSeq(slices.Values(rows)), 3)
	for i, want := range []Row{
		{Index: []int32{0, 2}, Value: []float64{1, 2}}, rows[1], {}, {}, {Value: []float64{1}},
	} {
		got, err := s.Next()
		if err != nil || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Value, want.Value) {
			t.Errorf("row %d: %v, %v", i, got, err)
		}
	}
	if _, err := s.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if s.LeftOut() != 3 {
		t.Errorf("%d values left out", s.LeftOut())
	}
}
