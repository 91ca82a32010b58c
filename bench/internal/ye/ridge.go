package ye

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/discriminant"
)

// ridgeRow is one lambda of Figure 3: the mean accuracy of each program over the splits of each set,
// and how far the criteria of the programs are apart.
type ridgeRow struct {
	Lambda string `json:"lambda" table:"lambda"`
	Sonar  string `json:"sonar" table:"sonar: SDP, QCQP, SILP %"`
	Heart  string `json:"heart" table:"heart: SDP, QCQP, SILP %"`
	// Apart is the larger of the values of both sets.
	Apart  string `json:"apart" table:"largest difference of criteria"`
	Failed int    `json:"failed" table:"failures"`
}

// ridgePrograms are compared in Figure 3. The paper has the first two. SDP is expensive, and has every
// third lambda of the first split alone.
var ridgePrograms = []string{discriminant.SDP, discriminant.QCQP, discriminant.CPMWrapper}

// ridgePoint sums the accuracies of one lambda on one set, by program.
// Element k of both arrays belongs to ridgePrograms[k]. Accuracies are in percent.
type ridgePoint struct {
	sum   [3]float64
	count [3]int
	// apart is the relative difference between the largest and the least criterion of the programs,
	// failed a number of programs that found no solution.
	apart  float64
	failed int
}

// mean is the mean accuracy of program k, which must have solved a problem.
func (p *ridgePoint) mean(k int) float64 { return p.sum[k] / float64(p.count[k]) }

// String lists the means.
func (p *ridgePoint) String() string {
	var list []string
	for k := range p.sum {
		if p.count[k] == 0 {
			list = append(list, "-")
		} else {
			list = append(list, fmt.Sprintf("%.2f", p.mean(k)))
		}
	}
	return strings.Join(list, " ")
}

// ridgeFigure has the points of each set, by lambda.
type ridgeFigure struct {
	programs []string // those of ridgePrograms that are run
	// sets[name][k] is the point of lambdas[k].
	lambdas []float64
	sets    map[string][]ridgePoint
}

// discriminantRidges repeats Figure 3: the accuracy against lambda, from 1e-10 to 1e2, on sonar and
// heart.
func discriminantRidges(ctx context.Context, s *harness.Session, r *harness.Report, programs []string,
	splits int, seed uint64) error {
	// An unknown program is a fault before the first training.
	for _, p := range programs {
		if !slices.Contains(ridgePrograms, p) {
			return fmt.Errorf("no program %s (one of %s)", p, strings.Join(ridgePrograms, ", "))
		}
	}
	count := 30
	if s.Quick {
		count = 3
	}
	f := ridgeFigure{programs: programs, sets: map[string][]ridgePoint{}}
	for k := range count {
		// The logarithms of lambda are evenly spaced from -10 to 2.
		f.lambdas = append(f.lambdas, math.Pow(10, -10+12*float64(k)/float64(count-1)))
	}
	// The first two sets are sonar and heart.
	for _, set := range discriminantSets()[:2] {
		f.sets[set.name] = make([]ridgePoint, count)
		d, ok := s.Data.FindFile(set.folder, set.file)
		if !ok {
			r.Note("%s", s.Data.DescribeAbsence(set.folder))
			continue
		}
		if err := f.measure(ctx, s, set, d, splits, seed); err != nil {
			return err
		}
	}
	t := r.Table("Figure 3: test accuracy against lambda, means of %d splits", splits)
	for k, lambda := range f.lambdas {
		sonar, heart := &f.sets["sonar"][k], &f.sets["heart"][k]
		t.Add(ridgeRow{
			Lambda: fmt.Sprintf("%.2g", lambda), Sonar: sonar.String(), Heart: heart.String(),
			Apart: fmt.Sprintf("%.1g", max(sonar.apart, heart.apart)), Failed: sonar.failed + heart.failed,
		})
	}
	// The figure is written with --out alone.
	r.Attach("lambda.svg", f.write)
	return nil
}

// measure solves a set by all programs for each lambda on each split. Three programs that
// minimise the same criterion check each other: apart shows by how much their least values
// differ.
func (f *ridgeFigure) measure(ctx context.Context, s *harness.Session, set discriminantSet, d harness.DataSet,
	splits int, seed uint64) error {
	rows, err := readScaled(d)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 18))
	// The mutex guards f.sets.
	var mutex sync.Mutex
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(s.Threads)
	for split := range splits {
		// The split is drawn outside of the goroutine, so splits do not depend on which goroutine
		// comes first.
		order := rng.Perm(len(rows.features))
		cut := int(math.Round(set.share * float64(len(order))))
		train, test := order[:cut], order[cut:]
		for at, lambda := range f.lambdas {
			group.Go(func() error {
				s.Progress.ShowNow("%s, split %d of %d, lambda %.2g", set.name, split+1, splits, lambda)
				p := rows.problem(train)
				p.Lambda, p.Gap = lambda, paperGap
				// Each goroutine fills a point of its own, and adds it at the end.
				point := ridgePoint{}
				least, most := math.Inf(1), math.Inf(-1)
				for k, solver := range ridgePrograms {
					// A semi-definite program on hundreds of rows takes minutes.
					dear := solver == discriminant.SDP && (split > 0 || at%3 != 0)
					if dear || !slices.Contains(f.programs, solver) {
						continue
					}
					found, err := discriminant.Solve(inner, solver, p)
					// An interrupt is not a failure of the program.
					if inner.Err() != nil {
						return inner.Err()
					}
					if err != nil { // a sum of wide kernels that is singular without a ridge
						point.failed++
						continue
					}
					point.sum[k], point.count[k] = rows.testMeans(found, p, train, test), 1
					// All programs minimise the same criterion, so their values differ by no more than
					// the gap of each.
					least, most = min(least, found.Criterion), max(most, found.Criterion)
				}
				// most stays below 0 if no program has solved the problem.
				if most > 0 {
					point.apart = (most - least) / most
				}
				mutex.Lock()
				defer mutex.Unlock()
				f.sets[set.name][at].add(&point)
				return nil
			})
		}
	}
	return group.Wait()
}

// add adds the point of another split. Accuracies are whole numbers of rows, so the order of the
// splits hardly matters to their sum.
func (p *ridgePoint) add(o *ridgePoint) {
	for k := range p.sum {
		p.sum[k], p.count[k] = p.sum[k]+o.sum[k], p.count[k]+o.count[k]
	}
	// The worst split counts for the difference.
	p.apart, p.failed = max(p.apart, o.apart), p.failed+o.failed
}

// write draws the figure as SVG.
func (f *ridgeFigure) write(w io.Writer) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "log10 of lambda", "test accuracy (%)"
	p.Add(plotter.NewGrid())
	p.Legend.Left = true
	// A colour identifies a set with a program, and a mark the program.
	color := 0
	for _, set := range []string{"sonar", "heart"} {
		for k, program := range ridgePrograms {
			var points plotter.XYs
			for at := range f.sets[set] {
				// SDP has a point at every third lambda alone.
				if q := &f.sets[set][at]; q.count[k] > 0 {
					points = append(points, plotter.XY{X: math.Log10(f.lambdas[at]), Y: q.mean(k)})
				}
			}
			if len(points) == 0 {
				continue
			}
			line, marks, err := plotter.NewLinePoints(points)
			if err != nil {
				return err
			}
			line.Color, marks.Color = plotutil.Color(color), plotutil.Color(color)
			marks.Shape = plotutil.Shape(k)
			p.Add(line, marks)
			p.Legend.Add(set+", "+program, line, marks)
			color++
		}
	}
	// The size is the size of the other figures.
	canvas := vgsvg.New(16*vg.Centimeter, 11*vg.Centimeter)
	p.Draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}
