// Package scaling measures how time and memory grow with rows, kernels and threads, and how near the forecasts of the
// command are.
package scaling

import (
	"context"
	"fmt"
	"math"

	"bigmkl/bench/internal/harness"
)

// sweep varies one quantity and keeps the others fixed.
type sweep struct {
	// name is the quantity that is varied.
	name string
	// fixed names what is kept constant.
	fixed string
	// runs[i] is the training at the value x[i].
	runs []harness.Training
	// x has the value of the quantity in each run, for the fit.
	x []float64
}

// add adds a training at a value of the quantity that is varied.
func (w *sweep) add(x float64, u harness.Training) {
	w.x, w.runs = append(w.x, x), append(w.runs, u)
}

// scalingRow is a training of a sweep.
type scalingRow struct {
	Swept string  `json:"swept" table:"swept"`
	Value float64 `json:"value" table:"value|%g"`
	// PerRow is the time of a kernel row: a working point against all points.
	PerRow float64 `json:"microseconds_per_row" table:"us a row|%.1f"`
	harness.Outcome
}

// exponentRow is a fitted power law: measure = constant times value to the exponent. Quality
// near 1 means that the logarithms lie on a line.
type exponentRow struct {
	Swept    string  `json:"swept" table:"swept"`
	Fixed    string  `json:"fixed" table:"fixed"`
	Measure  string  `json:"measure" table:"measure"`
	Exponent float64 `json:"exponent" table:"exponent|%.2f"`
	Quality  float64 `json:"r_squared" table:"R²|%.3f"`
	// From is the number of points of the fit.
	From int `json:"points" table:"points"`
}

// Scaling measures how time and memory grow with each quantity.
func Scaling() harness.Experiment {
	return harness.Experiment{
		Name:  "scaling",
		Short: "time and memory against points, kernels, features, threads and memory budget",
		Long: "Varies one quantity at a time, with p = 4/3, C = 1 and a relative gap of 1e-3, and fits\n" +
			"exponents by least squares in logarithms. With --out it plots the curves.",
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			// laws follows the trainings from which it is fitted.
			t, laws := r.Table("Trainings"), r.Table("Exponents")
			laws.Note("Time is the time of a row (a working point against all others) multiplied by the number of " +
				"rows, which depends on the solver. Both are fitted. Memory is the peak of anonymous memory.")
			// Without a folder there is no place for files.
			if s.Out == "" {
				r.Note("--out DIR plots the curves")
			}
			for _, w := range listSweeps(s, r) {
				if err := runSweep(ctx, s, r, t, laws, w); err != nil {
					return err
				}
			}
			return tabulateSerialShares(ctx, s, r)
		},
	}
}

// runSweep runs the trainings of a sweep and fits the power laws. A training that did not
// converge has done an arbitrary part of its work, so it is left out of the fit.
func runSweep(ctx context.Context, s *harness.Session, r *harness.Report, t, laws *harness.Table,
	w sweep) error {
	var x []float64
	// y[measure] has a value for each x.
	y := map[string][]float64{}
	measures := []string{"seconds", "seconds a row", "rows", "memory, MiB"}
	for i, u := range w.runs {
		o, err := s.Train(ctx, u)
		if err != nil {
			return err
		}
		// The time of a kernel row and the number of rows have different reasons to grow, so each is
		// fitted by itself.
		perRow := harness.Ratio(o.Seconds, float64(o.Rows))
		t.Add(scalingRow{Swept: w.name, Value: w.x[i], PerRow: 1e6 * perRow, Outcome: o})
		if !o.Converged() {
			laws.Note("%s = %g is left out of the fit: %s", w.name, w.x[i], o.Status)
			continue
		}
		x = append(x, w.x[i])
		for k, v := range []float64{o.Seconds, perRow, float64(o.Rows),
			float64(o.Anonymous) / (1 << 20)} {
			y[measures[k]] = append(y[measures[k]], v)
		}
	}
	for _, m := range measures {
		// One value has no slope.
		if f := fitPower(x, y[m]); f.points > 0 {
			laws.Add(exponentRow{w.name, w.fixed, m, f.exponent, f.quality, f.points})
		}
	}
	if len(x) > 1 {
		p := curveFigure{{w.name, "seconds", x, y["seconds"]},
			{w.name, "memory, MiB", x, y["memory, MiB"]}}
		r.Attach(w.name+".svg", p.write)
	}
	return nil
}

// listSweeps returns the quantities that are varied, in a full or a quick form. Values grow
// geometrically, because power laws are lines in logarithms.
func listSweeps(s *harness.Session, r *harness.Report) []sweep {
	digits, positive := s.Data.FindDigits(r)
	base := func(points int) harness.Training {
		return harness.ThesisTraining(digits, positive, harness.FiftyGaussians,
			"4/3", points)
	}
	// fixed names the sizes of a full run. A quick run replaces them below.
	list := []sweep{
		{name: "points", fixed: "50 kernels"},
		{name: "kernels", fixed: "2000 points"},
		{name: "features", fixed: "4000 points, 50 kernels, synthetic images"},
		{name: "threads", fixed: "8000 points, 50 kernels"},
		{name: "budget", fixed: "20000 points, 50 kernels"},
	}
	for _, n := range s.ChooseInts(nil, []int{1000, 2000, 4000, 8000, 16000, 32000, 60000},
		[]int{100, 200, 400}) {
		list[0].add(float64(n), base(n))
	}
	for _, m := range s.ChooseInts(nil, []int{10, 30, 100, 300, 1000, 3000, 10000},
		[]int{5, 20, 80}) {
		points := s.ChooseInts(nil, []int{2000}, []int{200})[0]
		list[1].add(float64(m), harness.ThesisTraining(digits, positive, harness.ManyGaussians(m), "4/3", points))
	}
	for _, d := range s.ChooseInts(nil, []int{50, 100, 200, 400, 800, 1600, 3200},
		[]int{50, 200, 800}) {
		points := s.ChooseInts(nil, []int{4000}, []int{200})[0]
		list[2].add(float64(d), featuresRun(points, d))
	}
	// Threads double up to the number of the session.
	for threads := 1; threads <= s.Threads; threads *= 2 {
		u := base(s.ChooseInts(nil, []int{8000}, []int{400})[0])
		u.Options.Threads = threads
		list[3].add(float64(threads), u)
	}
	// Small budgets leave no room for cached rows, which the time shows.
	for _, mib := range s.ChooseInts(nil, []int{64, 128, 256, 512, 1024, 2048, 4096},
		[]int{48, 64, 96}) {
		u := base(s.ChooseInts(nil, []int{20000}, []int{400})[0])
		u.Options.Memory = int64(mib) << 20
		list[4].add(float64(mib), u)
	}
	if s.Quick {
		list[1].fixed, list[2].fixed, list[3].fixed, list[4].fixed = "200 points", "200 points, 50 kernels, synthetic images", "400 points, 50 kernels",
			"400 points, 50 kernels"
	}
	return list
}

// featuresRun returns a training on images of d pixels. Their squared distances grow in proportion
// to d, and the widths of the kernels grow with them.
func featuresRun(points, d int) harness.Training {
	images := harness.DataSet{Name: "synthetic images",
		Synthetic: &harness.Synthetic{Kind: "images", Points: points, Features: d, Seed: 32}}
	// MNIST has 784 pixels, so d pixels have d/784 of its squared distances.
	widest, narrowest := math.Pow(1.2, 49)*float64(d)/784, float64(d)/784
	u := harness.ThesisTraining(images, nil, fmt.Sprintf("gauss:%.12g..%.12g/50", 1/widest, 1/narrowest),
		"4/3", points)
	u.Options.Scale = "none"
	return u
}
