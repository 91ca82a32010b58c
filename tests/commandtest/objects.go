package commandtest

import (
	"fmt"
	"strings"
	"testing"
)

// Pairs writes so many drugs as an array, so many targets as text, and n rows that name one of each. It returns the values of --objects, and
// the file of the rows.
func Pairs(t testing.TB, f Folder, n, objects int) (drugs, targets, data string) {
	t.Helper()
	var rows [][]float64
	var names, lines strings.Builder
	names.WriteString("name,length,charge\n")
	for i := range objects {
		rows = append(rows, []float64{float64(i % 3), float64(i*i%5) / 2})
		fmt.Fprintf(&names, "t_%d,%d,%g\n", i, i%4, float64(i)/3)
	}
	for i := range n {
		label := "1"
		if (i*7%objects)%3 > i%2 {
			label = "-1"
		}
		fmt.Fprintf(&lines, "%s %d t_%d\n", label, i*7%objects, i*5%(objects-1))
	}
	if err := WriteArray(f.At("drugs.npy"), rows); err != nil {
		t.Fatal(err)
	}
	return "drug=" + f.At("drugs.npy"), "target=" + f.File("targets.csv", names.String()), f.File("pairs.txt", lines.String())
}
