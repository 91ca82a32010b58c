// Package datasettest generates the rows that tests of several packages train and predict with.
package datasettest

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"bigmkl/dataset"
)

// Clouds draws n points of the classes 1 and -1 in d dimensions. The classes overlap, and feature j
// separates them the less the larger j is. Values below 0.3 in magnitude are left out of a row, so
// zeros occur. Both classes occur if n is at least 2, and so does the last feature.
func Clouds(rng *rand.Rand, n, d int) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		y := 1 - 2*rng.IntN(2)
		if i < 2 {
			y = 1 - 2*i // both classes occur
		}
		rows[i].Label = strconv.Itoa(y)
		for j := range d {
			v := rng.NormFloat64() + 1.2*float64(y)/float64(j+1)
			if v > 0.3 || v < -0.3 {
				add(&rows[i], j, v)
			}
		}
	}
	// A reader counts features up to the last one that occurs.
	if last := &rows[0]; len(last.Index) == 0 || int(last.Index[len(last.Index)-1]) != d-1 {
		add(last, d-1, 0.5)
	}
	return rows
}

// Clusters draws n points of overlapping classes 0, 1, ... in d dimensions: that of row i is i
// modulo their number. With sets, the label of a row is a set: its own class and those whose
// feature is large in the row, in random order.
func Clusters(rng *rand.Rand, n, d, classes int, sets bool) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		k := i % classes
		for j := range d {
			v := rng.NormFloat64()
			if j%classes == k {
				v += 2 // every class has its own features, in which it lies apart
			}
			add(&rows[i], j, v)
		}
		rows[i].Label = strconv.Itoa(k)
		if sets {
			var list []string
			for c := range classes {
				if rows[i].Value[c] > 1 || c == k {
					list = append(list, strconv.Itoa(c))
				}
			}
			rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
			rows[i].Label = strings.Join(list, ",")
		}
	}
	return rows
}

// add gives a row another feature, whose index is larger than the indices of the others.
func add(row *dataset.Row, feature int, value float64) {
	row.Index, row.Value = append(row.Index, int32(feature)), append(row.Value, value)
}

// Random returns a generator, and logs its seed, so a test that fails shows it.
func Random(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0x6d6b6c)) // "mkl"
}

// List is a dataset.Source of rows in memory.
type List struct {
	rows []dataset.Row
	next int
}

var _ dataset.Source = (*List)(nil)

// Stream returns a source of the rows, which starts at the first of them.
func Stream(rows []dataset.Row) *List { return &List{rows: rows} }

// Next returns the next row, or io.EOF after the last.
func (l *List) Next() (dataset.Row, error) {
	if l.next == len(l.rows) {
		return dataset.Row{}, io.EOF
	}
	l.next++
	return l.rows[l.next-1], nil
}
