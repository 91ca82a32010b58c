package selection

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// TestChoice: the best mean wins whatever its line, of means that are shown alike the simplest, and the
// simplest that is not shown to be worse is found.
func TestChoice(t *testing.T) {
	t.Parallel()
	arms := []Arm{{Kind: Grid, Norm: 4. / 3}, {Kind: Grid, Norm: 1}, {Kind: Grid, Norm: 2}, {Kind: View, Norm: 2}, {Kind: Single, Norm: 2}}
	for _, c := range []struct {
		smaller        bool
		means          [5]float64
		best, simplest int
		choose         Choice
		chosen         int
	}{
		{means: [5]float64{.8, .8, .8, .8, .9}, best: 4, simplest: 4, chosen: 4},
		{means: [5]float64{.8, .8, .8, .8, .8}, best: 4, simplest: 4, chosen: 4},
		{means: [5]float64{.80002, .8, .8, .8, .7}, best: 3, simplest: 3, chosen: 3},
		{means: [5]float64{.8002, .8, .8, .7, .7}, best: 0, simplest: 2, chosen: 0},
		{means: [5]float64{.8002, .8, .8, .7, .7}, best: 0, simplest: 2, choose: ChooseSimplest, chosen: 2},
		{means: [5]float64{.7, .8, .7999, .7, .7}, best: 1, simplest: 2, chosen: 1},
		{smaller: true, means: [5]float64{.7, .8, .8, .8, .9}, best: 0, simplest: 0, chosen: 0},
	} {
		s := &Selection{Measure: "accuracy", Smaller: c.smaller, Arms: arms, Ratio: 0.25, Simplest: -1, Chosen: -1, Folds: make([]string, 10)}
		for k, m := range c.means {
			cell := Cell{Arm: k, Cost: 1}
			for f := range s.Folds { // Every mean has fluctuations of its own, of 0.001.
				cell.Values = append(cell.Values, m+0.001*math.Cos(float64(7*f*(k+1))+float64(k))-0.001*mean10(k))
			}
			cell.Figures = map[string]Figure{"accuracy": figureOf(cell.Values, s.Ratio)}
			s.Cells = append(s.Cells, cell)
		}
		o := &Options{Costs: []float64{1}, Choose: c.choose, Rope: DefaultRope}
		if o.Choose == "" {
			o.Choose = ChooseBest
		}
		s.choose(o)
		if s.Best != c.best || s.Simplest != c.simplest || s.Chosen != c.chosen || (s.Simpler == nil) != (s.Best == s.Simplest) {
			t.Errorf("%v: best %d, simplest %d, chosen %d, want %+v", c.means, s.Best, s.Simplest, s.Chosen, c)
		}
	}
}

// mean10 is the mean of the fluctuations of a cell.
func mean10(k int) (sum float64) {
	for f := range 10 {
		sum += math.Cos(float64(7*f*(k+1))+float64(k)) / 10
	}
	return sum
}

// views are rows with two views, of which the second has no information.
func views(t *testing.T, n int) ([]dataset.Row, []dataset.View) {
	rng := datasettest.Random(t, 77)
	rows := make([]dataset.Row, n)
	for i := range rows {
		y := 1 - 2*(i%2)
		rows[i].Label = fmt.Sprint(y)
		for j := range 8 {
			x := rng.NormFloat64()
			if j < 2 {
				x = 0.4*x + float64(y)
			}
			rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, x)
		}
	}
	return rows, []dataset.View{{Name: "good", First: 1, Last: 2}, {Name: "bad", First: 3, Last: 8}}
}

// TestEveryLineCompetes: each view has a line, the winner has the largest mean of all lines, and no other
// line that is as good in the digits shown is simpler.
func TestEveryLineCompetes(t *testing.T) {
	t.Parallel()
	rows, list := views(t, 60)
	o := Options{Training: bigmkl.Options{Kernels: "gauss:0.1..1/2@each-view,linear@each-view", Views: list, Threads: 1}, Costs: []float64{1}, Splits: Splits{Folds: 3}}
	s, _, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[Kind]int{}
	for _, a := range s.Arms {
		kinds[a.Kind]++
	}
	if kinds[Grid] != 3 || kinds[View] != 2 || kinds[Single] != 6 || kinds[Sum]+kinds[Sparse] != 0 {
		t.Errorf("lines: %v", kinds)
	}
	best := s.Cells[s.Best]
	for k, c := range s.Cells {
		x, y := c.Figures[s.Measure].Mean, best.Figures[s.Measure].Mean
		if x > y+1e-4 || fmt.Sprintf("%.4f", x) == fmt.Sprintf("%.4f", y) && s.Arms[c.Arm].rank() < s.Arms[best.Arm].rank() {
			t.Errorf("cell %d of %s has %v, and the best has %v", k, s.Arms[c.Arm], x, y)
		}
	}
}

// TestWiden: the default costs grow by one where the best is at an end, which parts that are joined find
// as well, to the byte; requested costs stay, and the selection reports this.
func TestWiden(t *testing.T) {
	t.Parallel()
	rows, list := views(t, 60)
	o := Options{Training: bigmkl.Options{Kernels: "gauss:0.5,linear", Views: list, Threads: 1}, Norms: []float64{2}, NoBaselines: true, SharedPreparation: true, Splits: Splits{Folds: 3}}
	for i := range rows { // A good C is small where labels err.
		if i%4 == 0 {
			rows[i].Label = fmt.Sprint(1 - 2*(i/4%2))
		}
	}
	s, table, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Cells) != 5 || s.Cells[0].Cost != 0.01 && s.Cells[4].Cost != 1000 {
		t.Fatalf("%d cells: %+v", len(s.Cells), s.Cells)
	}
	joined := o
	for part := range 2 {
		p := o
		p.Part, p.Parts, p.Folder = part+1, 2, t.TempDir()
		if _, _, err := selectRows(t, t.Context(), rows, p); err != nil {
			t.Fatal(err)
		}
		joined.Merge = append(joined.Merge, p.Folder)
	}
	if _, got, err := selectRows(t, t.Context(), rows, joined); err != nil || !bytes.Equal(got, table) {
		t.Errorf("joined parts find something else: %v", err)
	}
	o.Costs = []float64{0.1, 1, 10, 100}
	s, _, err = selectRows(t, t.Context(), rows, o)
	if err != nil || len(s.Cells) != 4 || len(s.Ends) != 1 || !strings.Contains(s.Ends[0], "--grid-C") {
		t.Errorf("%d cells, %q, %v", len(s.Cells), s.Ends, err)
	}
}
