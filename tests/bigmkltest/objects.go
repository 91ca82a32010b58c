package bigmkltest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/datasettest"
	"bigmkl/verify"
)

// Pairs is rows that name a drug, with four features, and a target, with three.
type Pairs struct {
	Files []string // of --objects
	Rows  []dataset.Row
	Set   *objects.Set
}

// DrawPairs draws n pairs of so many drugs and targets.
func DrawPairs(t testing.TB, seed uint64, n, drugs, targets int) *Pairs {
	rng := datasettest.Random(t, seed)
	p := &Pairs{}
	folder := t.TempDir()
	var all [2][][]float64
	for k, count := range []int{drugs, targets} {
		var b strings.Builder
		name := []string{"drug", "target"}[k]
		for i := range count {
			fmt.Fprintf(&b, "%s_%d", name, i)
			x := make([]float64, 4-k)
			for j := range x {
				x[j] = float64(j) + rng.NormFloat64()
				fmt.Fprintf(&b, ",%v", x[j])
			}
			all[k] = append(all[k], x)
			b.WriteString("\n")
		}
		file := filepath.Join(folder, name+".csv")
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		p.Files = append(p.Files, name+"="+file)
	}
	for range n {
		d, g := rng.IntN(drugs), rng.IntN(targets)
		y := (all[0][d][0]-0.2)*(all[1][g][1]-1) + 0.5*all[0][d][1] - 0.5 + 0.3*rng.NormFloat64()
		label := "1"
		if y < 0 {
			label = "-1"
		}
		p.Rows = append(p.Rows, dataset.Row{Label: label, Target: y, Index: []int32{0, 1}, Value: []float64{float64(d), float64(g)}})
	}
	var err error
	if p.Set, err = objects.Read(context.Background(), p.Files); err != nil {
		t.Fatal(err)
	}
	return p
}

// VerifiedObjects verifies a model of rows that name objects, with the files of the objects and of the matrices between them.
func VerifiedObjects(t testing.TB, m *bigmkl.Model, rows []dataset.Row, files []string, gram ...string) {
	t.Helper()
	r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{Objects: files, Gram: gram})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Errorf("verify: %s", f)
	}
	if limit := 1.1 * max(m.Certificate.RelativeGap, m.Gap); !(r.RelativeGap <= limit) {
		t.Errorf("verified gap %.3g, the model claims %.3g (asked %.3g)", r.RelativeGap, m.Certificate.RelativeGap, m.Gap)
	}
}
