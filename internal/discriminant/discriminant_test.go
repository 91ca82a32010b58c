package discriminant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bigmkl/dataset"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// gaussians are matrices of Gaussian kernels with the given widths on rows whose features are scaled to [0, 1], each of them with a trace of n once it
// is centred.
func gaussians(rows [][]float64, gammas []float64) (list []mat.Symmetric) {
	n := len(rows)
	low, high := slices.Clone(rows[0]), slices.Clone(rows[0])
	for _, r := range rows {
		for j, x := range r {
			low[j], high[j] = min(low[j], x), max(high[j], x)
		}
	}
	distance := mat.NewSymDense(n, nil)
	for i, r := range rows {
		for k := range i {
			d := 0.0
			for j, x := range r {
				if high[j] > low[j] {
					x = (x - rows[k][j]) / (high[j] - low[j])
					d += x * x
				}
			}
			distance.SetSym(i, k, d)
		}
	}
	for _, gamma := range gammas {
		k, all, trace := mat.NewSymDense(n, nil), 0.0, 0.0
		for i := range n {
			for j := range i + 1 {
				x := math.Exp(-gamma * distance.At(i, j))
				k.SetSym(i, j, x)
				if all += 2 * x; i == j {
					all, trace = all-x, trace+x
				}
			}
		}
		k.ScaleSym(float64(n)/(trace-all/float64(n)), k)
		list = append(list, k)
	}
	return list
}

// widths are the widths of gauss:0.04..40/10.
func widths() (list []float64) {
	for i := range 10 {
		list = append(list, 0.04*math.Pow(10, float64(i)/3))
	}
	return list
}

// fourFifths is a set without every fifth row, with the bank of ten Gaussians.
func fourFifths(t *testing.T, name string) *Problem {
	t.Helper()
	root := testlevel.NeedRealData(t)
	src, err := dataset.Open([]string{filepath.Join(root, name, name+".libsvm.gz")}, dataset.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var rows [][]float64
	p, number := &Problem{}, map[string]int32{}
	for i := 1; ; i++ {
		r, err := src.Next()
		if err != nil {
			break
		}
		if i%5 == 0 {
			continue
		}
		x := make([]float64, 100)
		for k, j := range r.Index {
			x[j] = r.Value[k]
		}
		c, ok := number[r.Label]
		if !ok {
			c = int32(len(number))
			number[r.Label] = c
		}
		rows, p.Classes = append(rows, x), append(p.Classes, c)
	}
	p.Count, p.Kernels = len(number), gaussians(rows, widths())
	return p
}

// clouds is a random problem: points around the centres of their classes.
func clouds(t *testing.T, seed uint64, n, classes int, gammas ...float64) *Problem {
	t.Helper()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 8))
	p := &Problem{Count: classes}
	var rows [][]float64
	for i := range n {
		c := i % classes
		x := make([]float64, 3)
		for j := range x {
			x[j] = rng.NormFloat64() + 2*math.Cos(float64(c*(j+1)))
		}
		rows, p.Classes = append(rows, x), append(p.Classes, int32(c))
	}
	p.Kernels = gaussians(rows, gammas)
	return p
}

func solve(t *testing.T, solver string, p *Problem) *Solution {
	t.Helper()
	s, err := Solve(context.Background(), solver, p)
	if err != nil {
		t.Fatalf("%s: %v", solver, err)
	}
	sum := s.CostWeight
	for _, x := range s.Theta {
		sum += x
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("%s: weights %v and %g sum to %g", solver, s.Theta, s.CostWeight, sum)
	}
	verify(t, solver, p, s)
	return s
}

// verify computes the certificate of a solution by its definition, from the kernels as they were given.
func verify(t *testing.T, solver string, p *Problem, s *Solution) {
	t.Helper()
	n := len(p.Classes)
	count := make([]float64, p.Count)
	for _, c := range p.Classes {
		count[c]++
	}
	linear, square, lost := 0.0, 0.0, 0.0
	v := make([]float64, len(p.Kernels))
	for c, alpha := range s.Alpha {
		x, f, sum := mat.NewVecDense(n, alpha), mat.NewVecDense(n, nil), 0.0
		for m, k := range p.Kernels {
			y := mat.NewVecDense(n, nil)
			y.MulVec(k, x)
			v[m] += mat.Dot(x, y)
			f.AddScaledVec(f, s.Theta[m], y)
		}
		for i, of := range p.Classes {
			h := -math.Sqrt(count[c] / float64(n))
			if int(of) == c {
				h += math.Sqrt(float64(n) / count[c])
			}
			e := h - f.AtVec(i) - s.Bias[c]
			linear, square, lost, sum = linear+h*alpha[i], square+alpha[i]*alpha[i], lost+e*e, sum+alpha[i]
		}
		if math.Abs(sum) > 1e-8*math.Sqrt(square) {
			t.Errorf("%s: column %d sums to %g", solver, c, sum)
		}
	}
	length := 0.0
	for m, x := range v {
		length += s.Theta[m] * math.Sqrt(max(0, x))
	}
	cost := 1 / (float64(n) * p.Lambda)
	primal, dual := length*length/2+cost/2*lost, linear-square/(2*cost)-slices.Max(v)/2
	if p.Joint {
		length += math.Sqrt(lost)
		primal, dual = length*length/2, linear-max(square, slices.Max(v))/2
	}
	if size := math.Abs(primal); math.Abs(s.Primal-primal) > 1e-7*size || math.Abs(s.Dual-dual) > 1e-7*size || s.Primal < s.Dual-1e-9*size {
		t.Errorf("%s: primal %.12g, dual %.12g; by their definitions %.12g and %.12g", solver, s.Primal, s.Dual, primal, dual)
	}
}

// TestSets: criteria of sets of two and three classes, which another program has found.
func TestSets(t *testing.T) {
	for _, c := range []struct {
		name      string
		joint     bool
		criterion float64
		theta     map[int]float64 // weights by the number of the kernel, from 1; the narrowest is the last
	}{
		{"wine", false, 0.0148940, nil},
		{"sonar", false, 0.0505587, map[int]float64{2: 0.132, 3: 0.038, 5: 0.269, 6: 0.562}},
		{"heart", false, 0.0578544, map[int]float64{1: 0.071, 2: 0.075, 9: 0.652, 10: 0.202}},
		{"sonar", true, 0.652201, nil}, {"heart", true, 0.593257, nil},
	} {
		p := fourFifths(t, c.name)
		if p.Gap, p.Joint = 1e-6, c.joint; !c.joint {
			p.Lambda = 5e-4
		}
		solvers := []string{CPMWrapper, QCQP, SDP}
		switch { // matrix inequalities take many seconds
		case c.name != "wine" && (testing.Short() || !testlevel.Reached(testlevel.ManyTimes) && !testlevel.Drawn(fmt.Sprint(c.name, c.joint), 4)):
			solvers = solvers[:1]
		case c.joint:
			solvers = solvers[:2]
		}
		for _, solver := range solvers {
			s := solve(t, solver, p)
			t.Logf("%s %s joint %v: criterion %.8g, gap %.2g, value %.8g, %d steps, theta %.3f, %.3g", solver, c.name, c.joint, s.Criterion, s.Gap, s.Value, s.Steps, s.Theta, s.CostWeight)
			if math.Abs(s.Criterion-c.criterion) > 1e-5*c.criterion {
				t.Errorf("%s on %s: criterion %.8g, want %.8g", solver, c.name, s.Criterion, c.criterion)
			}
			for m, want := range c.theta {
				if got := s.Theta[m-1]; math.Abs(got-want) > 0.01 {
					t.Errorf("%s on %s: weight %d is %.4f, want %.3f", solver, c.name, m, got, want)
				}
			}
		}
	}
}

// TestApproximate: the single matrix inequality has a value above that of the problem with three classes, and its weights are worse; with two classes
// its weights are the exact ones.
func TestApproximate(t *testing.T) {
	p := fourFifths(t, "wine")
	p.Gap, p.Lambda = 1e-6, 5e-4
	s := solve(t, SDPApprox, p)
	n, k := float64(len(p.Classes)), float64(p.Count)
	value := 2 * s.Value * n * p.Lambda / (n * (k - 1))
	if math.Abs(value-0.027394) > 1e-5*0.027394*2 {
		t.Errorf("the value is %.8g over n (k - 1), want 0.027394", value)
	}
	if above := s.Criterion/0.0148940 - 1; math.Abs(above-0.0046) > 1e-4 {
		t.Errorf("the criterion is %.4g %% above the exact one, want 0.46", 100*above)
	}
	for _, joint := range []bool{false, true} {
		q := clouds(t, 3, 50, 2, 0.1, 1, 10)
		if q.Gap, q.Joint = 1e-7, joint; !joint {
			q.Lambda = 1e-2
		}
		a, b := solve(t, SDPApprox, q), solve(t, QCQP, q)
		for m := range a.Theta {
			if math.Abs(a.Theta[m]-b.Theta[m]) > 1e-3 {
				t.Errorf("joint %v: theta %.5f and %.5f", joint, a.Theta, b.Theta)
				break
			}
		}
	}
}

// TestProgramsAgree: on random problems of two to five classes the programs of the same problem have the same criterion, and a certificate.
func TestProgramsAgree(t *testing.T) {
	stride := uint64(testlevel.Stride(3, 2))
	for seed := testlevel.Seed % stride; seed < 8; seed += stride {
		p := clouds(t, seed, 30+int(seed)*3, 2+int(seed)%4, 0.02, 0.3, 1, 4)
		if p.Gap, p.Joint = 1e-6, seed%2 == 1; !p.Joint {
			p.Lambda = math.Pow(10, -1-float64(seed%3))
		}
		want := solve(t, CPMWrapper, p)
		for _, solver := range []string{QCQP, SDP} {
			s := solve(t, solver, p)
			if math.Abs(s.Criterion-want.Criterion) > 1e-5*want.Criterion || s.Gap > 1e-4 {
				t.Errorf("seed %d: %s has the criterion %.8g at a gap of %.2g, cpm-wrapper %.8g at %.2g", seed, solver, s.Criterion, s.Gap, want.Criterion, want.Gap)
			}
		}
		if want.Gap > p.Gap {
			t.Errorf("seed %d: cpm-wrapper ends at a gap of %g after %d cuts", seed, want.Gap, want.Steps)
		}
	}
}

// TestKim: with two classes of one size the sum of their covariances is twice their mean, and the program with covariances within the classes has the
// weights of the problem itself at half of lambda.
func TestKim(t *testing.T) {
	p := clouds(t, 5, 40, 2, 0.05, 0.5, 5)
	p.Gap, p.Lambda = 1e-7, 2e-2
	kim := solve(t, SDPKim, p)
	p.Lambda /= 2
	exact := solve(t, QCQP, p)
	for m := range kim.Theta {
		if math.Abs(kim.Theta[m]-exact.Theta[m]) > 1e-3 {
			t.Errorf("theta %.5f, want %.5f", kim.Theta, exact.Theta)
			break
		}
	}
}

// TestRefused: problems that make no sense, and programs that do not fit the memory, with the least that is enough.
func TestRefused(t *testing.T) {
	for want, alter := range map[string]func(p *Problem) string{
		"unknown program":              func(*Problem) string { return "simplex" },
		"3 of 3":                       func(p *Problem) string { p.Classes[4] = 3; return QCQP },
		"of 4 classes":                 func(p *Problem) string { p.Count = 4; return QCQP },
		"0 kernels":                    func(p *Problem) string { p.Kernels = nil; return SDP },
		"lambda = 0 is not":            func(p *Problem) string { p.Lambda = 0; return SDP },
		"lambda = NaN":                 func(p *Problem) string { p.Lambda = math.NaN(); return SDP },
		"lambda = 0.01 is not":         func(p *Problem) string { p.Joint = true; return CPMWrapper },
		"gap 1 is not":                 func(p *Problem) string { p.Gap = 1; return CPMWrapper },
		"sdp-kim is for two classes":   func(*Problem) string { return SDPKim },
		"some that are not of 20 rows": func(p *Problem) string { p.Classes = p.Classes[:20]; return QCQP },
		"takes " + bytesize.Text(Bytes(SDPApprox, 21, 2, 3, false)) + " for 21 rows and 3 classes, the memory is 19.5 KiB (--memory 1MiB": func(p *Problem) string { p.Memory = 20000; return SDPApprox },
	} {
		p := clouds(t, 7, 21, 3, 1, 2)
		p.Gap, p.Lambda = 1e-4, 1e-2
		solver := alter(p)
		class := fail.Usage
		if p.Memory > 0 {
			class = fail.Budget
		}
		_, err := Solve(context.Background(), solver, p)
		if !errors.Is(err, class) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one with %q", err, want)
		}
	}
	for _, solver := range Solvers {
		p := clouds(t, 7, 20, 2, 1, 2)
		p.Gap, p.Lambda = 1e-4, 1e-2
		p.Memory = Bytes(solver, 20, 2, 2, false)
		solve(t, solver, p)
		p.Memory--
		if _, err := Solve(context.Background(), solver, p); !errors.Is(err, fail.Budget) {
			t.Errorf("%s in %d bytes: %v", solver, p.Memory, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p.Memory = 0
		if _, err := Solve(ctx, solver, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that is done: %v", solver, err)
		}
	}
}

// TestSingular: kernels of one rank beside which the ridge is lost in rounding end in an answer or an error, with lambda given and found.
func TestSingular(t *testing.T) {
	const n = 24
	for _, joint := range []bool{false, true} {
		for _, solver := range Solvers {
			p := clouds(t, 9, n, 2, 1, 2)
			for m := range p.Kernels {
				k := mat.NewSymDense(n, nil)
				k.SymRankOne(k, 1e30, mat.NewVecDense(n, mat.Row(nil, 3*m, p.Kernels[m])))
				p.Kernels[m] = k
			}
			if p.Gap, p.Joint = 1e-4, joint; !joint {
				p.Lambda = 1e-9
			}
			if _, err := Solve(context.Background(), solver, p); err != nil && !errors.Is(err, fail.Input) && !errors.Is(err, fail.Usage) {
				t.Errorf("%s, joint %t: %v", solver, joint, err)
			}
		}
	}
}

// TestStuck: where rounding ends a program before its first minimum, the weights are equal, and have their certificate.
func TestStuck(t *testing.T) {
	for _, size := range []float64{1e9, 1e12, 1e15} {
		for _, solver := range []string{SDP, QCQP} {
			p := clouds(t, 3, 30, 2, 0.1, 1, 10, 100)
			p.Gap, p.Lambda = 1e-4, 5e-4
			for m, k := range p.Kernels {
				low := mat.NewSymDense(30, nil) // of low rank, as a polynomial of few features
				for i := range 2 + m {
					low.SymRankOne(low, math.Pow(size, float64(m)/3), mat.NewVecDense(30, mat.Row(nil, 3*i, k)))
				}
				p.Kernels[m] = low
			}
			s, err := Solve(t.Context(), solver, p)
			if err != nil {
				t.Errorf("%s, kernels of sizes up to %g: %v", solver, size, err)
				continue
			}
			if !(s.Gap >= -1e-9) || math.IsInf(s.Gap, 0) {
				t.Errorf("%s, kernels of sizes up to %g: a gap of %g", solver, size, s.Gap)
			}
		}
	}
}
