package train

import (
	"context"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"bigmkl/gating"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/mmap"
	"bigmkl/model"
	"bigmkl/predict"
)

// With gates kernel m of a run is eta_m(x) k_m(x, z) eta_m(z) (Gönen 2010, eq. 3.9). They stay as
// they are, so that the problem is one over other kernels: convex, with the certificate of any other.
// Everything that follows from the dual variables goes by the gated bank, and what follows from the
// data alone, such as the normalisation, by the kernels without gates.

// gates are those of a run. All of its methods may be called for nil, which has none.
type gates struct {
	table *gating.Table
	model model.Gates // but for the support vectors

	// What follows is of gates that are learned. The table has the values of learned, with gates
	// below the floor closed in the last solution.
	learned  *gating.Learned
	features *gating.Features
	of       []int32 // gate of each kernel
	copies   []int32 // see kernelspec.Bank
	// from has the parameters of the first start, those of another solution. If it is nil, the start
	// is gating.Start's.
	from []float64
	// seen are the points as gates see them: the rows of the store, or their kernel values with landmarks.
	seen gating.Rows
	// rows are those that the gates are learned on, the points of one of several machines, and nil
	// for all.
	rows []int32
	seed uint64 // of starts
	// given says that the parameters stay, and are those of all machines.
	given bool
}

// machinePoints are some of the points, in the order of their list.
type machinePoints struct {
	gating.Rows
	rows []int32
}

// Len returns the number of points.
func (p machinePoints) Len() int { return len(p.rows) }

// Row writes the features of a point to x.
func (p machinePoints) Row(i int, x []float32) { p.Rows.Row(int(p.rows[i]), x) }

// points returns the rows that the gates are learned on.
func (g *gates) points() gating.Rows {
	if g.rows == nil {
		return g.seen
	}
	return machinePoints{g.seen, g.rows}
}

// row returns the number of a point among all rows.
func (g *gates) row(point int) int {
	if g.rows == nil {
		return point
	}
	return int(g.rows[point])
}

// start returns the parameters of the start with the given number.
func (g *gates) start(ctx context.Context, number int) ([]float64, error) {
	if number == 0 && g.from != nil {
		return g.from, nil
	}
	l, err := gating.Start(ctx, g.points(), g.features, g.learned.Form, g.copies, number, g.seed)
	if err != nil {
		return nil, err
	}
	return l.Parameters, nil
}

// holds reports whether the start with the given number holds the spreads of Gaussian gates at first. That from
// a model has been learned already.
func (g *gates) holds(number int) bool {
	return g.learned.Form == gating.Gauss && (number > 0 || g.from == nil)
}

// spreads says which parameters are the spreads of Gaussian gates.
func (g *gates) spreads() []bool { return g.learned.Spreads() }

// bounds returns those of the parameters, nil if there are none.
func (g *gates) bounds() (lower, upper []float64) { return g.learned.Bounds() }

// startFromModel makes the gates of a model the first start, in the units of these rows. A model
// without gates that are learned leaves the start as it is. Gates of another form, number or
// features are an error of class fail.Usage.
func (g *gates) startFromModel(m *model.Model) error {
	of := m.Gates()
	if of == nil || !of.Learned() {
		return nil
	}
	d := g.features.Len()
	if of.Kind != g.model.Kind || of.Number != g.model.Number || of.On != g.model.On ||
		len(of.Mean) != d || !slices.Equal(of.Loadings, g.model.Loadings) ||
		!of.Landmarks.Equal(g.model.Landmarks) {
		return fail.New(fail.Usage, "the model to start from has other gates: %d of %s",
			of.Number, of.Kind).WithHint("start from a model without gates, or of the same ones")
	}
	g.from = slices.Clone(of.Parameters)
	for m := range g.model.Number {
		own := g.from[m*(d+1) : (m+1)*(d+1)]
		for j := range d {
			mean, deviation := g.features.Mean[j], g.features.Deviation[j]
			if g.learned.Form == gating.Gauss {
				own[j] = (own[j]*of.Deviation[j] + of.Mean[j] - mean) / deviation
				continue
			}
			own[d] += own[j] * (mean - of.Mean[j]) / of.Deviation[j]
			own[j] *= deviation / of.Deviation[j]
		}
	}
	return nil
}

// apart returns the same gates for a training beside the one that they belong to, which starts at
// the gates in hand. The table is shared, and is that of whichever moved it last.
func (g *gates) apart() *gates {
	own, learned := *g, *g.learned
	learned.Parameters = slices.Clone(learned.Parameters)
	own.learned, own.from = &learned, slices.Clone(learned.Parameters)
	return &own
}

// ofMachine returns gates that one of several machines learns on the given rows. Features are
// standardised by all rows, whichever those of the machine are. The table is shared, and is that of
// the machine that moved it last. It may be called for nil and for gates that are not learned, which
// are the same for all machines.
func (g *gates) ofMachine(rows []int32) *gates {
	if g == nil || g.learned == nil {
		return g
	}
	own, learned := *g, *g.learned
	if own.rows = rows; g.given {
		return &own
	}
	learned.Parameters = make([]float64, len(learned.Parameters))
	own.learned = &learned
	own.model.Parameters = learned.Parameters
	return &own
}

// takeMachine adds the gates that a machine has learned to those of the machines before. Those of a
// machine that was never trained are as they are where all parameters are 0.
func (f *finished) takeMachine(g *gates) {
	if g == nil || g.learned == nil || g.given {
		return
	}
	m := &g.model
	f.gates = append(f.gates, model.MachineGates{
		Floor: m.Floor, Decay: m.Decay, Stationarity: m.Stationarity, Steps: m.Steps, Trials: m.Trials,
		Parameters: m.Parameters,
	})
}

// setMachines makes the gates of the model those that its machines have learned, if they have.
func (g *gates) setMachines(list []model.MachineGates) {
	if list != nil {
		g.model.Machines, g.model.Floor = list, 0
	}
}

// move gives the gates other parameters and computes them for every point. If closing is set, gates
// below the floor are closed. An error is that of the context.
func (g *gates) move(ctx context.Context, threads int, parameters []float64, closing bool) error {
	copy(g.learned.Parameters, parameters)
	threads = max(1, threads)
	group, ctx := errgroup.WithContext(ctx)
	points := g.points()
	n := points.Len()
	for k := range threads {
		group.Go(func() error {
			x, z := make([]float32, g.seen.Dim()), make([]float64, g.features.Len())
			for i := n * k / threads; i < n*(k+1)/threads; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				points.Row(i, x)
				g.features.Standardise(x, z)
				eta := g.table.Row(g.row(i))
				g.learned.Values(z, eta)
				if closing {
					g.learned.Closed(eta)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// closedFor reports whether the gate of a kernel is 0 for every point, as a floor or a file of gates
// may make it. The kernel itself may be like any other.
func (g *gates) closedFor(kernel int32) bool {
	if g == nil {
		return false
	}
	var eta [1]float64
	for i := range g.points().Len() {
		if g.table.Gate(kernel, []int32{int32(g.row(i))}, eta[:]); eta[0] != 0 {
			return false
		}
	}
	return true
}

// usesFeatures reports whether gates follow from the features of a point.
func (g *gates) usesFeatures() bool { return g != nil && g.model.UsesFeatures() }

// addTo records the gates in a model that has no support vectors yet.
func (g *gates) addTo(m *predict.Model) {
	if g != nil {
		m.SetGates(&g.model)
	}
}

// addSupport records the gates of the support vectors if they were given and are no function of
// features, or the entries of the matrix that they are functions of.
func (g *gates) addSupport(m *predict.Model) {
	if g == nil || g.usesFeatures() {
		return
	}
	own := g.model
	if g.model.Kind != model.GatesFixed {
		own.Landmarks = g.withSupport(m.Support)
		m.SetGates(&own)
		return
	}
	own.Support = []float64{}
	for _, i := range m.Support {
		own.Support = append(own.Support, g.table.Row(int(i))...)
	}
	m.SetGates(&own)
}

// facts identify the gates of a run. Regions follow from the data and the seed; gates that were
// given may be others under the same name, and enter by a hash.
func (g *gates) facts(s *gating.Spec) []Fact {
	if g.learned != nil {
		return []Fact{{"gating", s.String()}, {"gate-on", s.On}, {"descent of gates",
			fmt.Sprint(s.Tolerance, s.Steps, s.Starts, s.Decay, s.Floor)}}
	}
	if g.model.Kind != model.GatesFixed {
		return []Fact{{"gating", s.String()}, {"gate-on", s.On}}
	}
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(g.table.All()))
	return []Fact{{"gating", fmt.Sprintf("%s %016x", s.Kind, h.Sum64())}}
}

// over returns kernels with their gates, and the kernels themselves where there are no gates.
func (g *gates) over(b *kernels.Bank) *kernels.Bank {
	if g == nil {
		return b
	}
	return b.Gated(g.table, g.table)
}
