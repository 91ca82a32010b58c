package models

import (
	"math"
	"strconv"
	"strings"
)

// This is an evaluator of LIBSVM models, written from the sources of svm-predict.

// svmModel is the text of a LIBSVM model.
type svmModel struct {
	kind, kernel        string
	gamma, coef, degree float64
	rho                 []float64
	counts              []int
	coefs               [][]float64
	vectors             [][]float64 // by index, or the row of a matrix
}

func readSVM(text string) *svmModel {
	m := &svmModel{}
	head, body, _ := strings.Cut(text, "SV\n")
	for line := range strings.Lines(head) {
		words := strings.Fields(line)
		var numbers []float64
		for _, w := range words[1:] {
			x, _ := strconv.ParseFloat(w, 64)
			numbers = append(numbers, x)
		}
		switch words[0] {
		case "svm_type":
			m.kind = strings.Join(words[1:], " ")
		case "kernel_type":
			m.kernel = words[1]
		case "gamma":
			m.gamma = numbers[0]
		case "coef0":
			m.coef = numbers[0]
		case "degree":
			m.degree = numbers[0]
		case "rho":
			m.rho = numbers
		case "nr_sv":
			for _, n := range numbers {
				m.counts = append(m.counts, int(n))
			}
		}
	}
	for line := range strings.Lines(body) {
		var coefs, vector []float64
		for _, w := range strings.Fields(line) {
			j, v, feature := strings.Cut(w, ":")
			if !feature {
				x, _ := strconv.ParseFloat(w, 64)
				coefs = append(coefs, x)
				continue
			}
			k, _ := strconv.Atoi(j)
			for len(vector) <= k {
				vector = append(vector, 0)
			}
			vector[k], _ = strconv.ParseFloat(v, 64)
		}
		m.coefs, m.vectors = append(m.coefs, coefs), append(m.vectors, vector)
	}
	if m.counts == nil {
		m.counts = []int{len(m.vectors)}
	}
	return m
}

// evaluate computes the decision values as svm_predict_values does. matrix has values of a precomputed kernel.
func (m *svmModel) evaluate(rows [][]float64, matrix func(row, support int) float64) (all [][]float64) {
	for i, x := range rows {
		k := make([]float64, len(m.vectors))
		for s, z := range m.vectors {
			product, distance := 0.0, 0.0
			for j := range x {
				v := 0.0
				if j+1 < len(z) {
					v = z[j+1]
				}
				product, distance = product+x[j]*v, distance+(x[j]-v)*(x[j]-v)
			}
			switch m.kernel {
			case "linear":
				k[s] = product
			case "polynomial":
				k[s] = math.Pow(m.gamma*product+m.coef, m.degree)
			case "rbf":
				k[s] = math.Exp(-m.gamma * distance)
			case "sigmoid":
				k[s] = math.Tanh(m.gamma*product + m.coef)
			case "precomputed":
				k[s] = matrix(i, int(z[0])-1)
			default:
				k[s] = math.NaN()
			}
		}
		var values []float64
		if len(m.counts) == 1 {
			f := -m.rho[0]
			for s := range k {
				f += m.coefs[s][0] * k[s]
			}
			values = []float64{f}
		}
		start := make([]int, len(m.counts)+1)
		for c, n := range m.counts {
			start[c+1] = start[c] + n
		}
		for a := range m.counts {
			for b := a + 1; b < len(m.counts); b++ {
				f := -m.rho[len(values)]
				for s := start[a]; s < start[a+1]; s++ {
					f += m.coefs[s][b-1] * k[s]
				}
				for s := start[b]; s < start[b+1]; s++ {
					f += m.coefs[s][a] * k[s]
				}
				values = append(values, f)
			}
		}
		all = append(all, values)
	}
	return all
}
