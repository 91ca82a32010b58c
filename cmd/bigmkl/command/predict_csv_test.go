package command

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// namedTable returns a table of rows with two names each, of two classes with blanks. The columns are
// in the order of a permutation.
func namedTable(n int, order ...string) string {
	var text strings.Builder
	text.WriteString(strings.Join(order, ",") + "\n")
	for i := range n {
		cells := map[string]string{"patient": fmt.Sprintf("%q", fmt.Sprintf("no. %d, left", i)), "visit": fmt.Sprint(i % 7),
			"a": fmt.Sprint(i % 5), "b": fmt.Sprint(i % 3), "label": []string{"not ill", "very ill"}[i%2]}
		for k, name := range order {
			if k > 0 {
				text.WriteByte(',')
			}
			text.WriteString(cells[name])
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// TestPredictTable checks the names of rows in the table of predict, from files whose columns are in
// different orders, one of which lacks a column of names.
func TestPredictTable(t *testing.T) {
	f := commandtest.NewFolder(t)
	train := f.File("train.csv", namedTable(40, "patient", "a", "label", "b", "visit"))
	model := f.At("m")
	commandtest.Must(t, "train", "--quiet", "--probability", "--id", "patient,visit", "-o", model, train)
	other := f.File("other.csv", namedTable(30, "visit", "b", "patient", "a"))
	bare := f.File("bare.csv", namedTable(20, "b", "patient", "a"))
	args := []string{"predict", "--quiet", "--probability", "--threads", "2", model, train, other, bare}
	table := commandtest.Must(t, append(args, "--csv")...).Stdout
	if err := commandtest.SameCells(commandtest.Must(t, args...).Stdout, table); err != nil {
		t.Error(err)
	}
	records, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	header := []string{"patient", "visit", "label", "decision", "probability not ill", "probability very ill"}
	if !slices.Equal(records[0], header) || len(records) != 91 {
		t.Fatalf("%d records, header %q", len(records), records[0])
	}
	for k, r := range records[1:] {
		i := k // row of its file
		for _, n := range []int{40, 30} {
			if i < n {
				break
			}
			i -= n
		}
		visit := fmt.Sprint(i % 7)
		if k >= 70 {
			visit = ""
		}
		if want := []string{fmt.Sprintf("no. %d, left", i), visit}; !slices.Equal(r[:2], want) {
			t.Fatalf("record %d names %q, want %q", k+1, r[:2], want)
		}
	}
	// A name of a column that the training did not have comes from predict itself.
	late := f.File("late.csv", strings.Replace(namedTable(5, "patient", "b", "visit", "a"), "patient", "person", 1))
	if o := commandtest.Must(t, "predict", "--quiet", "--csv", "--id", "person", model, late); !strings.HasPrefix(o.Stdout, "person,visit,label,decision\n") {
		t.Errorf("table %q", o.Stdout)
	}
	// Rows in the format of LIBSVM have no names.
	rows := f.File("rows.txt", "1:1 2:2\n1:3\n")
	if o := commandtest.Try("predict", "--quiet", "--csv", model, rows); o.Code != contract.ExitFine || !strings.HasPrefix(o.Stdout, "label,decision\n") {
		t.Errorf("exit code %d, table %q, %s", o.Code, o.Stdout, o.Stderr)
	}
	if o := commandtest.Try("predict", "--csv", "--json", model, train); o.Code != contract.ExitUsage {
		t.Errorf("--csv --json without a file: exit code %d", o.Code)
	}
}
