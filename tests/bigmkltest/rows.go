package bigmkltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// Words draws n points with about so many of d features, as texts have words. Some features are
// likelier in the points of one class.
func Words(t testing.TB, seed uint64, n, d, entries int) []dataset.Row {
	t.Helper()
	rng := datasettest.Random(t, seed)
	rows := make([]dataset.Row, n)
	for i := range rows {
		y := 1 - 2*(i%2)
		rows[i].Label = strconv.Itoa(y)
		for range entries {
			j := int32(rng.IntN(d / 2))
			if rng.IntN(3) == 0 {
				j = int32(d/2 + (1+y)*d/8 + rng.IntN(d/4))
			}
			rows[i].Index = append(rows[i].Index, j)
		}
		slices.Sort(rows[i].Index)
		rows[i].Index = slices.Compact(rows[i].Index)
		for range rows[i].Index {
			rows[i].Value = append(rows[i].Value, 0.5+rng.Float64())
		}
	}
	return rows
}

// Curve draws n points whose target is a smooth function of the first features, with noise.
func Curve(rng *rand.Rand, n, d int) []dataset.Row {
	rows := datasettest.Clouds(rng, n, d)
	for i := range rows {
		for k, j := range rows[i].Index {
			if j < 2 {
				rows[i].Target += math.Sin(2*rows[i].Value[k]) / float64(j+1)
			}
		}
		rows[i].Target += 0.1 * rng.NormFloat64()
	}
	return rows
}

// Ranked returns rows with relevances from 0 to 4, by their targets, in nine groups.
func Ranked(rows []dataset.Row) []dataset.Row {
	ranked := slices.Clone(rows)
	for i := range ranked {
		ranked[i].Label, ranked[i].Target = strconv.Itoa(i%9), min(math.Floor(2*math.Abs(rows[i].Target)), 4)
	}
	return ranked
}

// StringKernels lists kernels that share bases, kernels that have a base of their own, and kernels
// that look at parts of the sequences.
const StringKernels = "wd:5..8,wd:20,wd:4:shift=3,spectrum:2..4,spectrum:9,spectrum:4:1@1-30,wd:6@11-50"

// Sites draws n sequences of 60 letters, some of them shorter. Those of class 1 have a word around
// the 30th place.
func Sites(rng *rand.Rand, n int) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		text := make([]byte, 60)
		for k := range text {
			text[k] = "ACGTACGTACGTACGTN"[rng.IntN(17)]
		}
		rows[i].Label = strconv.Itoa(1 - 2*(i%2))
		if word := "GATTACA"; i%2 == 0 && rng.IntN(5) > 0 {
			copy(text[26+rng.IntN(5):], word[rng.IntN(2):])
		}
		if i > 0 {
			text = text[:40+rng.IntN(21)]
		}
		label := rows[i].Label
		rows[i] = sequence(label, string(text))
		rows[i].Target = float64(1-2*(i%2)) + float64(strings.Count(string(text), "G"))/10
	}
	return rows
}

func sequence(label, text string) dataset.Row {
	index, value, err := dataset.DNA.Sequence([]byte(text), nil, nil)
	if err != nil {
		panic(err)
	}
	return dataset.Row{Label: label, Index: index, Value: value}
}

// Bounded returns the rows with upper bounds of times for two of three rows without an event, of which one has no lower bound.
func Bounded(rows []dataset.Row) []dataset.Row {
	rows = slices.Clone(rows)
	k := 0
	for i := range rows {
		r := &rows[i]
		if r.Target > 0 {
			continue
		}
		switch k++; k % 3 {
		case 1:
			r.Upper = 0.1 - 2*r.Target
		case 2:
			r.Target, r.Upper = 0, -r.Target
		}
	}
	return rows
}
