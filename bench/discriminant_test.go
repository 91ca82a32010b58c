package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestDiscriminant: of the sets that are at hand, here made up, one of two classes has the rows of all methods and one of three those of
// discriminant analysis; the others are named as absent.
func TestDiscriminant(t *testing.T) {
	folder := t.TempDir()
	for name, classes := range map[string]int{"sonar": 2, "wine": 3} {
		var text bytes.Buffer
		w := gzip.NewWriter(&text)
		for i := range 60 {
			fmt.Fprintf(w, "%d 1:%g 2:%g\n", i%classes, 0.5*float64(i%classes)+0.01*float64(i%7), 0.1*float64(i%11))
		}
		if err := errors.Join(w.Close(), os.Mkdir(filepath.Join(folder, name), 0o755), os.WriteFile(filepath.Join(folder, name, name+".libsvm.gz"), text.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	r := found(t, folder, "discriminant", "--quick", "accuracy")
	var rows []string
	for _, row := range r.Tables[0].Rows {
		rows = append(rows, fmt.Sprintf("%s %s %s", row["set"], row["method"], row["accuracy"]))
	}
	want := []string{"sonar RKDA", "sonar RKDA, joint", "sonar SM1", "sonar SM2", "sonar SM2_C", "wine RKDA", "wine RKDA, joint"}
	for i := range want {
		want[i] += " 100.00 ± 0.00"
	}
	if !slices.Equal(rows, want) || len(r.Notes) != 4 {
		t.Errorf("rows %q, notes %q", rows, r.Notes)
	}
}

// TestDiscriminantParts: the parts times and lambda on made-up sets, of which all programs find the same criterion.
func TestDiscriminantParts(t *testing.T) {
	folder := t.TempDir()
	for name, classes := range map[string]int{"sonar": 2, "heart": 2, "wine": 3} {
		var text bytes.Buffer
		w := gzip.NewWriter(&text)
		for i := range 24 {
			fmt.Fprintf(w, "%d 1:%g 2:%g\n", i%classes, 0.5*float64(i%classes)+0.01*float64(i%7), 0.1*float64(i%11))
		}
		if err := errors.Join(w.Close(), os.Mkdir(filepath.Join(folder, name), 0o755), os.WriteFile(filepath.Join(folder, name, name+".libsvm.gz"), text.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	r := found(t, folder, "discriminant", "--quick", "times", "lambda")
	if len(r.Tables) != 2 || len(r.Tables[0].Rows) != 4 || len(r.Tables[1].Rows) != 3 {
		t.Fatalf("%d tables: %+v", len(r.Tables), r.Tables)
	}
	var given, joint [4]float64
	for k, row := range r.Tables[0].Rows {
		if _, err := fmt.Sscanf(fmt.Sprint(row["criterion"]), "%g, %g", &given[k], &joint[k]); err != nil || row["set"] != "wine" {
			t.Fatal(row, err)
		}
	}
	for k := 2; k < 4; k++ { // to the gap, and SDP is another problem
		if math.Abs(given[k]-given[1]) > 1e-3*given[1] || math.Abs(joint[k]-joint[1]) > 1e-3*joint[1] || given[0] < given[1]*(1-1e-3) {
			t.Errorf("criteria %v and %v", given, joint)
		}
	}
	for _, row := range r.Tables[1].Rows {
		var sdp, qcqp, silp float64
		if n, _ := fmt.Sscanf(fmt.Sprint(row["heart"]), "%g %g %g", &sdp, &qcqp, &silp); n == 3 && (qcqp != silp || qcqp < 50) {
			t.Errorf("accuracies %v at lambda = %v", row["heart"], row["lambda"])
		}
	}
}
