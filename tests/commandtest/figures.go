package commandtest

import (
	"math"
	"strconv"
	"strings"
)

// Every takes each so manieth line.
func Every(lines []string, from, step int) (out []string) {
	for i := from; i < len(lines); i += step {
		out = append(out, lines[i])
	}
	return out
}

func (f Folder) Lines(name string, lines []string) string {
	return f.File(name, strings.Join(lines, "\n")+"\n")
}

// answer is a line of predictions.
type answer struct {
	Label     string
	Decisions []float64
}

func (f Folder) Answers(name string) (out []answer) {
	f.T.Helper()
	for line := range strings.Lines(f.Read(name)) {
		words := strings.Fields(line)
		a := answer{Label: words[0]}
		for _, w := range words[1:] {
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				f.T.Fatal(err)
			}
			a.Decisions = append(a.Decisions, x)
		}
		out = append(out, a)
	}
	return out
}

func FirstWords(lines []string) (out []string) {
	for _, l := range lines {
		w, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		out = append(out, w)
	}
	return out
}

// Area is the area under the curve by its definition.
func Area(decisions []float64, has []bool) float64 {
	won, pairs := 0.0, 0.0
	for i, p := range has {
		for j, q := range has {
			if p && !q {
				pairs++
				switch {
				case decisions[i] > decisions[j]:
					won++
				case decisions[i] == decisions[j]:
					won += 0.5
				}
			}
		}
	}
	return won / pairs
}

// F1 by its definition from precision and recall.
func F1(right, predicted, known int) float64 {
	p, r := float64(right)/float64(predicted), float64(right)/float64(known)
	if right == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// Correlation of predictions and classes is the sum over triples of classes of Gorodkin, eq. 8.
func Correlation(c [][]int) float64 {
	num, p, t := 0.0, 0.0, 0.0
	for k := range c {
		row, column, otherRows, otherColumns := 0, 0, 0, 0
		for l := range c {
			for m := range c {
				num += float64(c[k][k]*c[m][l] - c[l][k]*c[k][m])
				if l != k {
					otherRows, otherColumns = otherRows+c[l][m], otherColumns+c[m][l]
				}
			}
			row, column = row+c[k][l], column+c[l][k]
		}
		t += float64(row) * float64(otherRows)
		p += float64(column) * float64(otherColumns)
	}
	return num / math.Sqrt(p) / math.Sqrt(t)
}

func (f Folder) Same(what string, got any, want float64) {
	f.T.Helper()
	if x, ok := got.(float64); !ok || math.Abs(x-want) > 1e-9 {
		f.T.Errorf("%s is %v, want %v", what, got, want)
	}
}
