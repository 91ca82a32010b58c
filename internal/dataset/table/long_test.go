package table

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// longTable writes the same table twice, as plain fields and with each field in quotes. The table and its sample are
// longer than the buffer of the reader. Code that keeps a field beyond its record then sees another text.
func longTable(seed uint64) (plain, quoted string) {
	r := rand.New(rand.NewPCG(seed, 1))
	words := make([]string, 3+r.IntN(40))
	for k := range words {
		words[k] = strings.Repeat(string(rune('a'+k%26)), 50+r.IntN(50)) + fmt.Sprint(k)
	}
	var lines, same strings.Builder
	write := func(fields ...string) {
		lines.WriteString(strings.Join(fields, ",") + "\n")
		same.WriteString(`"` + strings.Join(fields, `","`) + "\"\n")
	}
	write("age", "omics.stage", "omics.x", "weight", "outcome")
	for i := 0; lines.Len() < 3*readAhead; i++ {
		stage, outcome := words[r.IntN(len(words))], words[r.IntN(2)]
		if i == 2*SampleRows { // A word that the sample does not have.
			stage = "late"
		}
		if r.IntN(50) == 0 {
			stage = "NA"
		}
		write(fmt.Sprint(r.IntN(90)), stage, fmt.Sprint(r.NormFloat64()), fmt.Sprint(r.IntN(3)), outcome)
	}
	return lines.String(), same.String()
}

// TestLongTables: a table that does not fit into the reader's memory has the columns and rows of the same table in
// quotes, whose fields encoding/csv copies.
func TestLongTables(t *testing.T) {
	for seed := range uint64(4) {
		plain, quoted := longTable(seed)
		o := Options{Label: "outcome", Impute: "indicator", Categories: [][]string{nil, {"weight"}}[seed%2]}
		var texts [2]string
		var columns [2]any
		for k, text := range []string{plain, quoted} {
			s, err := Open(context.Background(), []string{put(t, "long.csv", text)}, o)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			columns[k] = s.Columns().Features
			if texts[k], err = rows(s, nil); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if !reflect.DeepEqual(columns[0], columns[1]) {
			t.Errorf("seed %d: plain fields have the columns\n%v\nquoted ones\n%v", seed, columns[0], columns[1])
		}
		if texts[0] != texts[1] {
			t.Errorf("seed %d: plain and quoted fields have other rows", seed)
		}
	}
}

// TestLongTablesSurveyed: a survey counts the values of the table.
func TestLongTablesSurveyed(t *testing.T) {
	plain, quoted := longTable(7)
	var found [2][]Column
	for k, text := range []string{plain, quoted} {
		var err error
		if _, found[k], err = Survey(put(t, "long.csv", text), Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(found[0], found[1]) {
		t.Errorf("plain fields have\n%v\nquoted ones\n%v", found[0], found[1])
	}
}
