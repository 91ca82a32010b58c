package command

import (
	"math"
	"strconv"
	"strings"
)

// every takes each so manieth line.
func every(lines []string, from, step int) (out []string) {
	for i := from; i < len(lines); i += step {
		out = append(out, lines[i])
	}
	return out
}

func (f folder) lines(name string, lines []string) string {
	return f.file(name, strings.Join(lines, "\n")+"\n")
}

// answer is a line of predictions.
type answer struct {
	label     string
	decisions []float64
}

func (f folder) answers(name string) (out []answer) {
	f.t.Helper()
	for line := range strings.Lines(f.read(name)) {
		words := strings.Fields(line)
		a := answer{label: words[0]}
		for _, w := range words[1:] {
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				f.t.Fatal(err)
			}
			a.decisions = append(a.decisions, x)
		}
		out = append(out, a)
	}
	return out
}

func firstWords(lines []string) (out []string) {
	for _, l := range lines {
		w, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		out = append(out, w)
	}
	return out
}

// area is the area under the curve by its definition.
func area(decisions []float64, has []bool) float64 {
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

// f1 by its definition from precision and recall.
func f1(right, predicted, known int) float64 {
	p, r := float64(right)/float64(predicted), float64(right)/float64(known)
	if right == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// correlation of predictions and classes is the sum over triples of classes of Gorodkin, eq. 8, as it stands there.
func correlation(c [][]int) float64 {
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

func (f folder) same(what string, got any, want float64) {
	f.t.Helper()
	if x, ok := got.(float64); !ok || math.Abs(x-want) > 1e-9 {
		f.t.Errorf("%s is %v, want %v", what, got, want)
	}
}
