package verify_test

import (
	"math"
	"slices"
	"strings"

	"bigmkl/internal/model"
)

// wrong is one thing that is not as it should be. alter reports false where the model has no such thing.
type wrong struct {
	name    string
	want    string // a regular expression that one of the complaints has to match
	sampled bool   // a sample sees it, too
	double  bool   // only in double precision: in single it is within rounding
	shared  bool   // it is of what several classifiers share
	alter   func(m *model.Model) bool
}

const (
	values = "claims a primal value|claims a dual value"
	norms  = "the norm of w_"
	alphas = values + "|" + norms
	print  = "of fingerprint"
)

// bounded reports whether the dual variables of a model have an upper bound.
func bounded(m *model.Model) bool { return model.Bounded(m.Task, m.Loss) }

// reachesBound reports whether some dual variables of a model are at their upper bounds.
func reachesBound(m *model.Model) bool { return bounded(m) && m.Task != model.TaskLogistic }

// found changes the weight of a cost that was found.
func found(m *model.Model, change func(x float64) float64) bool {
	if m.CostWeight == nil {
		return false
	}
	x := change(*m.CostWeight)
	m.CostWeight = &x
	return true
}

var wrongs = []wrong{
	{name: "a weight up by 5 %", want: "sum theta|for p = 2", sampled: true, alter: func(m *model.Model) bool { m.Theta[heaviest(m)] *= 1.05; return true }},
	{name: "a weight set to 0", want: norms, sampled: true, alter: func(m *model.Model) bool { m.Theta[heaviest(m)] = 0; return true }},
	{name: "all weights doubled", want: "sum theta|for p = 2", sampled: true, alter: func(m *model.Model) bool { scaled(m.Theta, 2); return true }},
	{name: "weights exchanged", want: norms, alter: func(m *model.Model) bool { return exchanged(m, m.Theta) }},
	{name: "norms exchanged", want: norms, alter: func(m *model.Model) bool { return exchanged(m, m.WNorms) }},
	{name: "a norm up by 1 %", want: norms, double: true, alter: func(m *model.Model) bool { m.WNorms[heaviest(m)] *= 1.01; return true }},
	{name: "a norm set to 0", want: norms, alter: func(m *model.Model) bool { m.WNorms[heaviest(m)] = 0; return true }},

	{name: "alpha above its box", want: "above its bound", sampled: true, alter: func(m *model.Model) bool {
		i, j, ok := alike(m)
		if !ok || !bounded(m) {
			return false
		}
		m.Alpha[i] *= 1000
		m.Alpha[j] -= m.Alpha[i] * 0.999
		return true
	}},
	{name: "alpha of the wrong sign", want: "for label", sampled: true, alter: func(m *model.Model) bool { m.Alpha[0] = -m.Alpha[0]; return true }},
	{name: "sum of alpha not 0", want: "the sum of alpha", sampled: true, alter: func(m *model.Model) bool {
		m.Alpha[largest(m)] *= 1 - 1e-6
		return true
	}},
	{name: "alpha moved by 1 %", want: alphas, double: true, alter: func(m *model.Model) bool {
		i, j, ok := alike(m)
		if !ok {
			return false
		}
		m.Alpha[i] *= 0.99
		m.Alpha[j] += m.Alpha[i] * (0.01 / 0.99)
		return true
	}},
	{name: "alpha moved by 50 %", want: alphas + "|above its bound", alter: func(m *model.Model) bool {
		i, j, ok := alike(m)
		if !ok {
			return false
		}
		m.Alpha[i] *= 0.5
		m.Alpha[j] += m.Alpha[i]
		return true
	}},
	{name: "all alpha a little smaller", want: "claims a dual value|" + norms, double: true, alter: func(m *model.Model) bool { scaled(m.Alpha, 1-1e-3); return true }},
	{name: "all alpha halved", want: "claims a dual value|" + norms, alter: func(m *model.Model) bool { scaled(m.Alpha, 0.5); return true }},
	{name: "bias shifted a little", want: "claims a primal value", double: true, alter: func(m *model.Model) bool { m.Bias += 1e-4; return true }},
	{name: "bias shifted", want: "claims a primal value", alter: func(m *model.Model) bool { m.Bias += 1.5; return true }},

	{name: "a feature of a support vector", want: "^row .*: support vector .* has", sampled: true, shared: true, alter: func(m *model.Model) bool {
		if len(m.Vectors) == 0 {
			return false
		}
		at := len(m.Vectors) / 2
		m.Vectors[at] = math.Nextafter32(m.Vectors[at], 10)
		return true
	}},
	{name: "a support vector dropped", want: "the sum of alpha", sampled: true, alter: func(m *model.Model) bool { drop(m, largest(m)); return true }},
	{name: "a support vector merged into another", want: alphas + "|above its bound", alter: func(m *model.Model) bool {
		i, j, ok := alike(m)
		if !ok {
			return false
		}
		m.Alpha[j] += m.Alpha[i]
		drop(m, i)
		return true
	}},
	{name: "a support vector of another row", want: "support vector .* has|for label|" + alphas, shared: true, alter: func(m *model.Model) bool {
		for s, row := range m.Support {
			if next := row + 1; int(next) < m.Points && (s+1 == len(m.Support) || m.Support[s+1] > next) {
				m.Support[s] = next
				return true
			}
		}
		return false
	}},

	{name: "another p", want: values + "|sum theta|for p = 2", alter: func(m *model.Model) bool { return len(m.Theta) > 1 && relabelled(m) }},
	{name: "p a little off", want: values + "|sum theta|for p = 2", double: true, alter: func(m *model.Model) bool {
		if len(m.Theta) < 2 || math.IsInf(m.Norm, 1) {
			return false
		}
		m.Norm += 1e-3
		return true
	}},
	{name: "a larger C", want: "claims a primal value", shared: true, alter: func(m *model.Model) bool { m.C *= 10; return true }},
	{name: "a smaller C", want: "above its bound", sampled: true, shared: true, alter: func(m *model.Model) bool { m.C *= 0.99; return reachesBound(m) }},
	{name: "a smaller C of a loss whose dual variables keep off it", want: "claims a primal value", alter: func(m *model.Model) bool { m.C *= 0.99; return !reachesBound(m) }},
	{name: "another weight of the cost", want: "sum theta", sampled: true, alter: func(m *model.Model) bool {
		return found(m, func(x float64) float64 { return x + 1e-3 })
	}},
	{name: "a cost that was not found", want: values + "|sum theta", alter: func(m *model.Model) bool {
		had := m.CostWeight != nil
		m.CostWeight = nil
		return had
	}},
	{name: "weight given from a kernel to the cost", want: norms, alter: func(m *model.Model) bool {
		return found(m, func(x float64) float64 { k := heaviest(m); m.Theta[k] -= 0.01; return x + 0.01 })
	}},
	{name: "the other loss", want: "claims a primal value|above its bound", alter: func(m *model.Model) bool {
		if m.CostWeight != nil || m.Task == model.TaskLogistic {
			return false // a file would reject it
		}
		if m.Loss == "" {
			m.Loss = model.LossSquaredHinge
		} else {
			m.Loss = ""
		}
		return true
	}},
	{name: "weight of the positive class", want: "claims a primal value|above its bound", alter: func(m *model.Model) bool { m.PositiveWeight *= 1.5; return true }},
	{name: "weight of the negative class", want: "above its bound", sampled: true, alter: func(m *model.Model) bool { m.NegativeWeight *= 0.5; return reachesBound(m) }},
	{name: "row weights left out", want: "the data have row weights", sampled: true, shared: true, alter: func(m *model.Model) bool {
		had := m.RowWeights
		m.RowWeights = false
		return had
	}},

	{name: "width of a kernel", want: alphas, shared: true, alter: func(m *model.Model) bool {
		at := slices.IndexFunc(m.Kernels, func(s string) bool {
			return strings.HasPrefix(s, "gauss:1@") || strings.HasPrefix(s, "gauss:0.01..0.1")
		})
		if at < 0 {
			return false
		}
		m.Kernels[at] = strings.Replace(strings.Replace(m.Kernels[at], "gauss:1@", "gauss:1.1@", 1), "..0.1/", "..0.11/", 1)
		return true
	}},
	{name: "a median distance", want: alphas, shared: true, alter: func(m *model.Model) bool {
		if len(m.Medians) == 0 {
			return false
		}
		m.Medians[0] *= 1.1
		return true
	}},
	{name: "degree of a kernel", want: alphas, shared: true, alter: func(m *model.Model) bool {
		at := slices.IndexFunc(m.Kernels, func(s string) bool { return strings.HasPrefix(s, "poly:2") })
		if at < 0 {
			return false
		}
		m.Kernels[at] = strings.Replace(m.Kernels[at], "poly:2", "poly:3", 1)
		return true
	}},
	{name: "kernels exchanged", want: alphas, shared: true, alter: func(m *model.Model) bool {
		if len(m.Kernels) < 2 {
			return false
		}
		m.Kernels[0], m.Kernels[1] = m.Kernels[1], m.Kernels[0]
		return true
	}},
	{name: "a kernel of a product", want: alphas + "|stands for a variance", alter: func(m *model.Model) bool {
		at := slices.IndexFunc(m.Kernels, func(s string) bool { return strings.HasPrefix(s, "prod(poly:2@") })
		if at >= 0 {
			m.Kernels[at] = strings.Replace(m.Kernels[at], "poly:2", "poly:3", 1)
		}
		return at >= 0
	}},
	{name: "factor of a kernel", want: alphas + "|is not divided by its variance", alter: func(m *model.Model) bool {
		if m.Normalization.Scale == nil {
			return false
		}
		m.Normalization.Scale[heaviest(m)] *= 1.05
		return true
	}},
	{name: "factor of a kernel without weight", want: "stands for a variance|is not divided by its variance", sampled: true, alter: func(m *model.Model) bool {
		if m.Normalization.Scale == nil {
			return false
		}
		least := slices.Index(m.WNorms, slices.Min(m.WNorms))
		m.Normalization.Scale[least] *= 0.5
		return true
	}},
	{name: "factor of a kernel a little off", want: "stands for a variance", sampled: true, double: true, alter: func(m *model.Model) bool {
		return scaledFactor(m, 1+1e-9)
	}},
	{name: "factor of a kernel off by 1e-4", want: "stands for a variance", sampled: true, alter: func(m *model.Model) bool { return scaledFactor(m, 1+1e-4) }},
	{name: "factor of a kernel that is not divided", want: "is not divided by its variance", sampled: true, alter: func(m *model.Model) bool {
		at := slices.Index(m.Normalization.Scale, 1)
		if at >= 0 {
			m.Normalization.Scale[at] = 2
		}
		return at >= 0
	}},
	{name: "a kernel left out by its factor", want: "stands for a variance|is not divided by its variance", sampled: true, alter: func(m *model.Model) bool {
		if m.Normalization.Scale == nil {
			return false
		}
		m.Normalization.Scale[heaviest(m)] = 0
		return true
	}},
	{name: "no normalisation", want: alphas, shared: true, alter: func(m *model.Model) bool {
		had := m.Normalization.Kind != "none"
		m.Normalization = model.Normalization{Kind: "none"}
		return had
	}},
	{name: "scaling of a feature", want: print, sampled: true, shared: true, alter: func(m *model.Model) bool {
		if len(m.Scaling.Factor) == 0 {
			return false
		}
		m.Scaling.Factor[2] *= 1.0001
		return true
	}},
	{name: "centre of a feature", want: print, sampled: true, shared: true, alter: func(m *model.Model) bool {
		if len(m.Scaling.Offset) == 0 {
			return false
		}
		m.Scaling.Offset[2] += 1e-3
		return true
	}},

	{name: "primal value too large", want: "claims a primal value", alter: func(m *model.Model) bool {
		return claim(m, m.Certificate.Primal*1.002, m.Certificate.Dual)
	}},
	{name: "primal value too large by 1e-7", want: "claims a primal value", double: true, alter: func(m *model.Model) bool {
		return m.Norm <= 2 && claim(m, m.Certificate.Primal*(1+1e-7), m.Certificate.Dual)
	}},
	{name: "dual value too small", want: "claims a dual value", alter: func(m *model.Model) bool {
		return claim(m, m.Certificate.Primal, m.Certificate.Dual*0.998)
	}},
	{name: "dual value too small by 1e-7", want: "claims a dual value", double: true, alter: func(m *model.Model) bool {
		return claim(m, m.Certificate.Primal, m.Certificate.Dual*(1-1e-7))
	}},
	{name: "gap smaller than it is", want: "claims a relative gap of", sampled: true, alter: func(m *model.Model) bool { m.Certificate.RelativeGap *= 0.9; return true }},
	{name: "primal and dual value moved together", want: "claims a primal value", alter: func(m *model.Model) bool {
		return claim(m, m.Certificate.Primal*1.01, m.Certificate.Dual*1.01)
	}},
	{name: "stationary for a gap", want: "calls its gap a proof|no kernel in use can be", sampled: true, alter: func(m *model.Model) bool {
		m.Certificate.Kind = map[string]string{"gap": "stationary", "stationary": "gap"}[m.Certificate.Kind]
		return true
	}},

	{name: "classes exchanged", want: print + "|for label", sampled: true, alter: func(m *model.Model) bool {
		m.Positive, m.Negative = m.Negative, m.Positive
		return true
	}},
	{name: "a class by another name", want: print + "|neither of the model's classes", sampled: true, alter: func(m *model.Model) bool { m.Positive = "7"; return true }},
	{name: "a positive label missing", want: "for label", sampled: true, alter: func(m *model.Model) bool {
		if m.PositiveLabels == nil {
			return false
		}
		m.PositiveLabels = m.PositiveLabels[:1]
		return true
	}},
	{name: "a positive label too many", want: "no row has the positive label", sampled: true, alter: func(m *model.Model) bool {
		if m.PositiveLabels == nil {
			return false
		}
		m.PositiveLabels = append(m.PositiveLabels, "9")
		return true
	}},
	{name: "no limit", want: "the data goes on", sampled: true, shared: true, alter: func(m *model.Model) bool {
		had := m.Limit > 0
		m.Limit = 0
		return had
	}},
	{name: "one point more", want: "the data ends|" + print, sampled: true, alter: func(m *model.Model) bool {
		m.Points++
		if m.Posteriors != nil { // The file has to be sound.
			m.Posteriors = append(m.Posteriors, 1)
		}
		m.Limit = max(m.Limit, m.Points)
		return len(m.Kernels) > 1
	}},
	{name: "a feature more", want: print + "|has 0 for feature", sampled: true, alter: func(m *model.Model) bool {
		if m.Vectors != nil {
			return false // their number would have to change
		}
		m.Features++
		return true
	}},
	{name: "a posterior changed", want: print, sampled: true, alter: func(m *model.Model) bool {
		if m.Posteriors == nil {
			return false
		}
		at := m.Support[0]
		m.Posteriors[at] = (m.Posteriors[at] + 3) / 4
		return true
	}},
	{name: "posteriors nearer to 1/2", want: values, alter: func(m *model.Model) bool {
		for i, p := range m.Posteriors {
			m.Posteriors[i] = 0.5 + 0.9*(p-0.5)
		}
		return m.Posteriors != nil
	}},
	{name: "posteriors farther from 1/2", want: "above its bound", sampled: true, alter: func(m *model.Model) bool {
		for i, p := range m.Posteriors {
			m.Posteriors[i] = min(1, max(0, 0.5+1.2*(p-0.5)))
		}
		return m.Posteriors != nil
	}},
	{name: "posteriors of the other class", want: "for label", sampled: true, alter: func(m *model.Model) bool {
		for i, p := range m.Posteriors {
			m.Posteriors[i] = 1 - p
		}
		return m.Posteriors != nil
	}},
	{name: "no posteriors", want: print, sampled: true, alter: func(m *model.Model) bool {
		had := m.Posteriors != nil
		m.Posteriors, m.PosteriorsOf = nil, ""
		return had
	}},
	{name: "data of another fingerprint", want: print, sampled: true, shared: true, alter: func(m *model.Model) bool { m.Fingerprint ^= 1; return true }},
	{name: "single precision", want: "claims single precision", sampled: true, alter: func(m *model.Model) bool {
		had := m.Double
		m.Double = false
		return had
	}},
	{name: "double precision of 32", want: "claims double precision", sampled: true, alter: func(m *model.Model) bool {
		had := m.Double
		m.Precision = "32"
		return had && m.Norm <= 2
	}},
	{name: "double precision", want: values, alter: func(m *model.Model) bool {
		had := m.Double
		m.Double = true
		return !had
	}},
}

// harmless changes leave a model that does what it claims.
var harmless = []wrong{
	{name: "p of a single kernel", alter: func(m *model.Model) bool { return len(m.Theta) == 1 && relabelled(m) }},
	{name: "a norm by a billionth", alter: func(m *model.Model) bool { m.WNorms[heaviest(m)] *= 1 + 5e-10; return true }},
	{name: "the primal value by a billionth", alter: func(m *model.Model) bool {
		return claim(m, m.Certificate.Primal*(1+2e-10), m.Certificate.Dual)
	}},
	// How the points were stored decides the order of sums, and so the last bits of predictions.
	{name: "dense for sparse", alter: func(m *model.Model) bool { m.Store = "sparse"; return true }},
	// What was asked for, and how the solver went there, is history.
	{name: "gap that was asked for", alter: func(m *model.Model) bool { m.Gap *= 1.5; return true }},
	{name: "tuning", alter: func(m *model.Model) bool { m.Tuning.WorkingSet = 64; return true }},
	{name: "seed without chance", alter: func(m *model.Model) bool { m.Seed++; return true }},
	{name: "size of the normaliser's sample", alter: func(m *model.Model) bool {
		m.Normalization.SampleSize = 2048
		return m.Normalization.Scale != nil
	}},
	// A limit at the end of the data, or behind it, has no effect.
	{name: "limit at the end", alter: func(m *model.Model) bool {
		had := m.Limit
		m.Limit = m.Points
		return had == 0
	}},
}
