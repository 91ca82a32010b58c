package exchange

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/internal/model"
	"bigmkl/tests/commandtest"
)

// gap is how a value is written that a row lacks.
type gap struct{ csv, libsvm string }

// gapText writes rows of three features, of which some are missing, as a table and as libsvm text. The replacement
// is written if fill is not nil.
func gapText(rows [][]float64, fill []float64, rng *rand.Rand) (csv, libsvm string) {
	gaps := []gap{{"", "nan"}, {"NA", "NaN"}, {"?", "?"}, {"None", "na"}}
	var table, text strings.Builder
	table.WriteString("a,b,c,label\n")
	for i, r := range rows {
		label := []string{"ill", "well"}[i%2]
		text.WriteString(label)
		for j, v := range r {
			g := gaps[rng.IntN(len(gaps))]
			if math.IsNaN(v) && fill != nil {
				v = fill[j]
			}
			switch {
			case math.IsNaN(v):
				table.WriteString(g.csv + ",")
				fmt.Fprintf(&text, " %d:%s", j+1, g.libsvm)
			default:
				fmt.Fprintf(&table, "%v,", v)
				fmt.Fprintf(&text, " %d:%v", j+1, v)
			}
		}
		table.WriteString(label + "\n")
		text.WriteString("\n")
	}
	return table.String(), text.String()
}

// TestImpute trains on rows with missing values in two formats, which give one model. The model verifies. Its predictions of such rows
// equal its predictions of rows that have the replacements.
func TestImpute(t *testing.T) {
	const seed = 35
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	rows := make([][]float64, 80)
	for i := range rows {
		for j := range 3 {
			v := math.Round(100*(rng.NormFloat64()*float64(1+20*j)+float64(i%2)*float64(1+j))) / 100
			if rng.IntN(6) == 0 {
				v = math.NaN()
			}
			rows[i] = append(rows[i], v)
		}
	}
	f := commandtest.NewFolder(t)
	for _, kind := range []string{"median", "mean", "zero", "indicator"} {
		csv, text := gapText(rows, nil, rng)
		table, libsvm := f.File("d.csv", csv), f.File("d.txt", text)
		train := []string{"train", "--quiet", "--impute", kind, "--kernels", "gauss:auto/3,linear", "-o", f.At("m")}
		if o := commandtest.Try("train", "--quiet", "-o", f.At("m"), table); o.Code == 0 || !strings.Contains(o.Stderr, "--impute") {
			t.Errorf("without --impute: %d, %s", o.Code, o.Stderr)
		}
		commandtest.Must(t, append(train, "--test", table, table)...)
		commandtest.Must(t, "verify", "--quiet", f.At("m"), table)
		predicted := commandtest.Must(t, "predict", "--quiet", f.At("m"), table).Stdout
		if kind == "indicator" {
			// A table that lacks nothing has the columns all the same.
			whole, _ := gapText(rows, []float64{0, 0, 0}, rng)
			if o := commandtest.Must(t, "predict", "--quiet", f.At("m"), f.File("w.csv", whole)); o.Stdout == predicted {
				t.Error("indicator: rows that lack values are predicted as if they had zeros")
			}
			continue
		}
		m, err := model.Open(f.At("m"))
		if err != nil {
			t.Fatal(err)
		}
		filled, filledText := gapText(rows, m.Scaling.Fill, rng)
		m.Close()
		if o := commandtest.Must(t, "predict", "--quiet", f.At("m"), f.File("w.csv", filled)); o.Stdout != predicted {
			t.Errorf("%s: other predictions of rows that have what stands for their values", kind)
		}
		want := withoutColumns(t, f.At("m"))
		commandtest.Must(t, append(train, libsvm)...)
		if f.Read("m") != want {
			t.Errorf("%s: libsvm text gives another model than a table", kind)
		}
		if o := commandtest.Must(t, "predict", "--quiet", f.At("m"), f.File("w.txt", filledText)); o.Stdout != predicted {
			t.Errorf("%s: other predictions of text", kind)
		}
		commandtest.Must(t, "verify", "--quiet", f.At("m"), libsvm)
		for _, command := range []string{"gram", "align"} {
			commandtest.Must(t, command, "--quiet", "--impute", kind, "--kernels", "linear", "-o", f.At(command), table)
		}
	}
}
