package main

import (
	"context"
	"fmt"
	"math"
)

// sweep varies one quantity and keeps the others fixed.
type sweep struct {
	// name is the quantity that is varied.
	name string
	// fixed names what is kept constant.
	fixed string
	runs  []training
	x     []float64
}

// add adds a training at a value of the quantity that is varied.
func (w *sweep) add(x float64, u training) {
	w.x, w.runs = append(w.x, x), append(w.runs, u)
}

// scalingRow is a training of a sweep.
type scalingRow struct {
	Swept  string  `json:"swept" table:"swept"`
	Value  float64 `json:"value" table:"value|%g"`
	PerRow float64 `json:"microseconds_per_row" table:"us a row|%.1f"`
	outcome
}

// exponentRow is a fitted power law.
type exponentRow struct {
	Swept    string  `json:"swept" table:"swept"`
	Fixed    string  `json:"fixed" table:"fixed"`
	Measure  string  `json:"measure" table:"measure"`
	Exponent float64 `json:"exponent" table:"exponent|%.2f"`
	Quality  float64 `json:"r_squared" table:"R²|%.3f"`
	From     int     `json:"points" table:"points"`
}

// scalingExperiment measures how time and memory grow with each quantity.
func scalingExperiment() experiment {
	return experiment{
		name:  "scaling",
		short: "time and memory against points, kernels, features, threads and memory budget",
		long: "Varies one quantity at a time, with p = 4/3, C = 1 and a relative gap of 1e-3, and fits\n" +
			"exponents by least squares in logarithms. With --out it plots the curves.",
		run: func(ctx context.Context, s *session, r *experimentReport, _ []string) error {
			t, laws := r.table("Trainings"), r.table("Exponents")
			laws.note("Time is the time of a row (a working point against all others) multiplied by the number of " +
				"rows, which depends on the solver. Both are fitted. Memory is the peak of anonymous memory.")
			if s.out == "" {
				r.note("--out DIR plots the curves")
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

// runSweep runs the trainings of a sweep and fits the power laws.
func runSweep(ctx context.Context, s *session, r *experimentReport, t, laws *reportTable,
	w sweep) error {
	var x []float64
	y := map[string][]float64{}
	measures := []string{"seconds", "seconds a row", "rows", "memory, MiB"}
	for i, u := range w.runs {
		o, err := s.runTraining(ctx, u)
		if err != nil {
			return err
		}
		perRow := ratio(o.Seconds, float64(o.Rows))
		t.add(scalingRow{Swept: w.name, Value: w.x[i], PerRow: 1e6 * perRow, outcome: o})
		if !o.converged() {
			laws.note("%s = %g is left out of the fit: %s", w.name, w.x[i], o.Status)
			continue
		}
		x = append(x, w.x[i])
		for k, v := range []float64{o.Seconds, perRow, float64(o.Rows),
			float64(o.Anonymous) / (1 << 20)} {
			y[measures[k]] = append(y[measures[k]], v)
		}
	}
	for _, m := range measures {
		if f := fitPower(x, y[m]); f.points > 0 {
			laws.add(exponentRow{w.name, w.fixed, m, f.exponent, f.quality, f.points})
		}
	}
	if len(x) > 1 {
		p := curveFigure{{w.name, "seconds", x, y["seconds"]},
			{w.name, "memory, MiB", x, y["memory, MiB"]}}
		r.attached = append(r.attached, attachment{w.name + ".svg", p.write})
	}
	return nil
}

// listSweeps returns the quantities that are varied, in a full or a quick form.
func listSweeps(s *session, r *experimentReport) []sweep {
	digits, positive := s.findDigits(r)
	base := func(points int) training {
		return thesisTraining(digits, positive, fiftyGaussians,
			"4/3", points)
	}
	list := []sweep{
		{name: "points", fixed: "50 kernels"},
		{name: "kernels", fixed: "2000 points"},
		{name: "features", fixed: "4000 points, 50 kernels, synthetic images"},
		{name: "threads", fixed: "8000 points, 50 kernels"},
		{name: "budget", fixed: "20000 points, 50 kernels"},
	}
	for _, n := range s.chooseInts(nil, []int{1000, 2000, 4000, 8000, 16000, 32000, 60000},
		[]int{100, 200, 400}) {
		list[0].add(float64(n), base(n))
	}
	for _, m := range s.chooseInts(nil, []int{10, 30, 100, 300, 1000, 3000, 10000},
		[]int{5, 20, 80}) {
		points := s.chooseInts(nil, []int{2000}, []int{200})[0]
		list[1].add(float64(m), thesisTraining(digits, positive, manyGaussians(m), "4/3", points))
	}
	for _, d := range s.chooseInts(nil, []int{50, 100, 200, 400, 800, 1600, 3200},
		[]int{50, 200, 800}) {
		points := s.chooseInts(nil, []int{4000}, []int{200})[0]
		list[2].add(float64(d), featuresRun(points, d))
	}
	for threads := 1; threads <= s.threads; threads *= 2 {
		u := base(s.chooseInts(nil, []int{8000}, []int{400})[0])
		u.Options.Threads = threads
		list[3].add(float64(threads), u)
	}
	for _, mib := range s.chooseInts(nil, []int{64, 128, 256, 512, 1024, 2048, 4096},
		[]int{48, 64, 96}) {
		u := base(s.chooseInts(nil, []int{20000}, []int{400})[0])
		u.Options.Memory = int64(mib) << 20
		list[4].add(float64(mib), u)
	}
	if s.quick {
		list[1].fixed, list[2].fixed, list[3].fixed, list[4].fixed = "200 points", "200 points, 50 kernels, synthetic images", "400 points, 50 kernels",
			"400 points, 50 kernels"
	}
	return list
}

// featuresRun returns a training on images of d pixels. Their squared distances grow in proportion
// to d, and the widths of the kernels grow with them.
func featuresRun(points, d int) training {
	images := dataSet{Name: "synthetic images",
		Synthetic: &synthetic{Kind: "images", Points: points, Features: d, Seed: 32}}
	widest, narrowest := math.Pow(1.2, 49)*float64(d)/784, float64(d)/784
	u := thesisTraining(images, nil, fmt.Sprintf("gauss:%.12g..%.12g/50", 1/widest, 1/narrowest),
		"4/3", points)
	u.Options.Scale = "none"
	return u
}
