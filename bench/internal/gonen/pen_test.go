package gonen

import (
	"math"
	"testing"

	"bigmkl/dataset"
)

// TestDrawPen draws a pen that goes along the lower edge and up the right one: its image has those
// two lines, and the smaller images are means of it.
func TestDrawPen(t *testing.T) {
	row := dataset.Row{Label: "1"}
	for k, v := range []float64{0, 0, 50, 0, 100, 0, 100, 20, 100, 40, 100, 60, 100, 80, 100, 100} {
		row.Index, row.Value = append(row.Index, int32(k)), append(row.Value, v)
	}
	drawn := drawPen(row)
	all := make([]float64, penViews[len(penViews)-1].Last)
	for k, j := range drawn.Index {
		all[j] = drawn.Value[k]
	}
	view := map[string][]float64{}
	for _, v := range penViews {
		view[v.Name] = all[v.First-1 : v.Last]
	}
	for i, got := range view["STA16"] {
		want := 0.0
		if i < penSide || i%penSide == penSide-1 {
			want = 1
		}
		if got != want {
			t.Errorf("pixel %d, %d is %g, want %g", i/penSide, i%penSide, got, want)
		}
	}
	// An edge passes half of the pixels of a block of 2 x 2, the corner three of them.
	for _, c := range []struct {
		name string
		i    int
		want float64
	}{
		{"STA8", 0, 0.5}, {"STA8", 7, 0.75}, {"STA8", 8, 0}, {"STA8", 63, 0.5},
		{"STA4", 0, 0.25}, {"STA4", 3, 7.0 / 16}, {"STA4", 4, 0}, {"STA4", 15, 0.25},
	} {
		if got := view[c.name][c.i]; math.Abs(got-c.want) > 1e-15 {
			t.Errorf("entry %d of %s is %g, want %g", c.i, c.name, got, c.want)
		}
	}
}
