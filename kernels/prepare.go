package kernels

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
)

// PrepareOptions set how the kernels of a run are prepared.
type PrepareOptions struct {
	Views      []dataset.View        // named ranges of features
	Sequences  dataset.Alphabet      // alphabet of rows that are sequences; "" if rows are numbers
	Seed       uint64                // seed of random features and of samples
	Normalizer kernelspec.Normalizer // normalisation of kernels that do not name their own
	// Flags means that the last features of the points are flags of the views; see
	// dataset.WithFlags.
	Flags bool
	// Uncentred leaves linear kernels as they are, because the dual variables do not sum to 0.
	Uncentred bool
	CostPower float64 // largest power with which costs of kernels enter a norm
	Regions   int     // how often all kernels are repeated, see kernelspec.Context; 0: not at all
	Gated     bool    // gates are learned, see kernelspec.Context
	Memory    int64   // bytes that the expansion of the specifications may take
	Threads   int
	Scratch   string                // folder of scratch files
	Users     map[string]UserKernel // code of the kernels user:NAME
	// Given is what is known from other points and holds for these as well. If it is nil, the
	// points decide.
	Given *Given
	// Scales are factors that other kernels of these points had. If it is nil, all are found.
	Scales *Scales
}

// Given is what kernels take from the points they were prepared on first, for kernels on other
// points of the same features that are to be the same functions.
type Given struct {
	// Medians are the distances that widths refer to, in the order of the expansion.
	Medians []float64
	// Normalization is what FindScales has found. If it is nil, it is found on these points.
	Normalization *Normalization
	// Reach is the largest base of each group. If it is nil, that of these points is taken.
	Reach []float64
}

// Specs splits a text of specifications, which are separated by commas or are in a file @FILE. An
// empty text means the kernels that suit the data: the kernels of each view if there are views.
func Specs(text string, views []dataset.View, sequences dataset.Alphabet) ([]string, error) {
	if text == "" {
		return kernelspec.Default(len(views) > 0, sequences), nil
	}
	return kernelspec.Split(text)
}

// Prepared is the kernels of a run: what was asked for, its expansion, and its arithmetic.
type Prepared struct {
	*Bank
	// Specs are the specifications before the expansion, with files replaced by their numbers.
	Specs    []string
	Expanded *kernelspec.Bank // one entry for each kernel
	Matrices []*npy.Matrix    // matrices of precomputed kernels, which stay open until Close
	Shape    Shape            // what the survey of the points has found

	// Normalization is what FindScales has found. It is zero before that, and where no kernel is
	// normalised multiplicatively.
	Normalization Normalization

	// Skeletons are those for float32 and for float64; nil where all kernels are kept. FindScales
	// adds the normalisation to them.
	Skeletons [2]*Skeleton

	// Fills is what FindFills has found; nil if no kernel fills anything in.
	Fills []float64

	// Centre is the numbers of the points at whose mean kernels are centred, and CentreMeans what
	// FindCentres has found. Both are nil if no kernel is centred.
	Centre      []int32
	CentreMeans []float64

	reach   []float64    // of each group, for which Skeletons and wide kernels were found
	plain   [2]*Skeleton // Skeletons before the normalisation, which may be found more than once
	options PrepareOptions
}

// Prepare makes the kernels that specs ask for on the points of a store. It estimates the medians
// and means that the specifications refer to, opens and checks the matrices of precomputed kernels,
// and surveys the features. The kernels are not normalised yet; see FindScales. Close frees them.
//
// Faults of specifications are of class fail.Usage, faults of matrices of class fail.Input. An
// expansion that takes more than o.Memory is of class fail.Budget.
func Prepare(ctx context.Context, store *dataset.Store, specs []string, o PrepareOptions) (
	p *Prepared, err error) {
	p = &Prepared{options: o}
	defer func() {
		if err != nil {
			p.Close()
			p = nil
		}
	}()
	if err := p.expand(ctx, store, specs); err != nil {
		return p, err
	}
	if err := p.open(ctx, store.Len()); err != nil {
		return p, err
	}
	if p.Shape, err = Survey(ctx, store, store.Mean(), o.Threads); err != nil {
		return p, err
	}
	p.Shape.Uncentred = o.Uncentred
	if p.Bank, err = NewBank(p.Expanded, p.Shape, o.Normalizer, p.Matrices, o.Users); err != nil {
		return p, err
	}
	if err := p.CheckUsers(store); err != nil {
		return p, err
	}
	if p.Fills, err = p.Bank.FindFills(ctx, store); err != nil {
		return p, err
	}
	p.Bank.SetFills(p.Fills)
	if p.Bank.NormCentred() {
		p.Centre = CentreSample(store.Len(), o.Seed)
		if p.CentreMeans, err = p.Bank.FindCentres(ctx, store, p.Centre, o.Threads, o.Scratch); err != nil {
			return p, err
		}
	}
	return p, p.findFamilies(ctx, store)
}

// findFamilies finds out which kernels are wide and which groups are sums of a few of their
// kernels. Dual variables that do not sum to 0 would see the constants. Of few points a training
// takes less time than it takes to find a skeleton.
func (p *Prepared) findFamilies(ctx context.Context, store *dataset.Store) error {
	if p.options.Uncentred {
		return nil
	}
	reach, err := p.Bank.Reaches(ctx, store, p.options.Threads)
	if err != nil {
		return err
	}
	if g := p.options.Given; g != nil && g.Reach != nil {
		reach = farther(g.Reach, reach)
	}
	p.reach = reach
	p.Bank.FindWide(reach)
	if store.Len() < leastPoints {
		return nil
	}
	p.plain, err = NewSkeletons(ctx, p.Bank, reach, p.options.Threads)
	p.Skeletons = p.plain
	return err
}

// spareReach is by how much a reach that was exceeded grows, so points that come in batches do not
// exceed it again and again.
const spareReach = 2

// farther returns the reaches that were given, where they suffice for the points, and else more
// than the points need.
func farther(given, needed []float64) []float64 {
	reach := slices.Clone(given)
	for k, r := range needed {
		if r > reach[k] {
			reach[k] = spareReach * r
		}
	}
	return reach
}

// Given returns what other points need for the same kernels as p.
func (p *Prepared) Given() *Given {
	n := p.Normalization
	return &Given{Medians: p.Expanded.Medians, Normalization: &n, Reach: p.reach}
}

// SharesSums reports whether sums over points are sums of the same values for p and for q, which
// have the same kernels: the same of them are wide, and the skeletons are the same. Gradients that
// were held for one serve the other then.
func (p *Prepared) SharesSums(q *Prepared) bool {
	for i := range p.Skeletons {
		a, b := p.Skeletons[i], q.Skeletons[i]
		if (a == nil) != (b == nil) || a != nil && !slices.Equal(p.reach, q.reach) {
			return false
		}
	}
	for i := range p.Groups {
		for j, m := range p.Groups[i].Members {
			if m.Wide != q.Groups[i].Members[j].Wide {
				return false
			}
		}
	}
	return true
}

// Held returns the largest number of kernels that gradients are held for, in either precision.
func (p *Prepared) Held() int {
	most := 0
	for _, s := range p.Skeletons {
		if s == nil {
			return p.Bank.Len()
		}
		most = max(most, s.Kept.Len())
	}
	return most
}

// PlainFeatures returns how many of d features are not flags of views.
func (o *PrepareOptions) PlainFeatures(d int) int {
	if o.Flags {
		return max(0, d-len(o.Views))
	}
	return d
}

// expand makes the list of kernels from the specifications.
func (p *Prepared) expand(ctx context.Context, store *dataset.Store, specs []string) (err error) {
	o := &p.options
	median := NewMedians(store, o.Seed)
	c := kernelspec.Context{
		Features: o.PlainFeatures(store.Dim()), Flags: o.Flags, Views: o.Views, Sequences: o.Sequences,
		Seed: o.Seed, Memory: o.Memory, Regions: o.Regions, Gated: o.Gated,
		Median: func(set []int32, kind kernelspec.Kind) (float64, error) {
			return median.Distance(ctx, set, kind)
		},
		Mean: func(set []int32, kind kernelspec.Kind) (float64, error) {
			return median.Mean(ctx, set, kind)
		},
		Nearest: func(set []int32) (float64, error) {
			return Nearest(ctx, store, o.Seed, o.Threads, set)
		},
		CostPower: o.CostPower,
	}
	if o.Given != nil {
		next := 0
		given := func() (float64, error) {
			if next == len(o.Given.Medians) {
				return 0, fail.New(fail.Corrupt, "%d distances are given and the kernels need more", next)
			}
			next++
			return o.Given.Medians[next-1], nil
		}
		c.Median = func([]int32, kernelspec.Kind) (float64, error) { return given() }
		c.Mean = c.Median
		c.Nearest = func([]int32) (float64, error) { return given() }
	}
	p.Expanded, err = kernelspec.Expand(specs, c)
	if err != nil {
		return err
	}
	p.Specs = slices.Clone(specs)
	for i, s := range p.Specs {
		suffix := kernelspec.Suffix(s)
		if file, ok := strings.CutPrefix(strings.TrimSuffix(s, suffix), "precomputed:"); ok {
			for k, f := range p.Expanded.Files {
				if f == file {
					p.Specs[i] = fmt.Sprintf("precomputed:%d%s", k+1, suffix)
				}
			}
		}
	}
	return nil
}

// open maps the matrices of precomputed kernels, which must be n x n.
func (p *Prepared) open(ctx context.Context, n int) error {
	for id, k := range p.Expanded.Kernels {
		own := k.Normalizer.Or(p.options.Normalizer)
		if own == kernelspec.Centred {
			if err := p.checkCentred(id, &k); err != nil {
				return err
			}
		}
		if own == kernelspec.Spherical && k.Kind == kernelspec.Precomputed {
			return fail.New(fail.Usage, "kernel %d (%s): spherical normalisation needs k(x,x) of "+
				"unseen rows, which a precomputed matrix does not have", id+1, p.Describe(id)).
				WithHint("normalise the matrix itself, and write norm=none or " +
					"norm=multiplicative behind the kernel")
		}
	}
	for _, file := range p.Expanded.Files {
		m, err := npy.Load(file, n)
		if err != nil {
			return err
		}
		p.Matrices = append(p.Matrices, m)
		if m.Rows != n {
			return fail.New(fail.Input, "the matrix is %d x %d, the data have %d rows",
				m.Rows, m.Cols, n).At(file, 0, 0)
		}
		if err := checkMatrix(ctx, m, file); err != nil {
			return err
		}
	}
	return nil
}

// checkCentred refuses kernels that cannot be centred: what they are at unseen rows is not known, or
// they are products.
func (p *Prepared) checkCentred(id int, k *kernelspec.Kernel) error {
	switch k.Kind {
	case kernelspec.Precomputed:
		return fail.New(fail.Usage, "kernel %d (%s): norm=centred needs the values of unseen rows with "+
			"the training rows, which a precomputed matrix does not have", id+1, p.Describe(id)).
			WithHint("centre the matrix itself, and write norm=none or norm=multiplicative behind the kernel")
	case kernelspec.Product:
		return fail.New(fail.Usage, "kernel %d (%s): norm=centred of a product of kernels: not yet",
			id+1, p.Describe(id))
	}
	return nil
}

// FindScales finds the scales of the kernels that are normalised multiplicatively. double asks for
// their variances in double precision. warn is told which kernels have no variance and so get the
// weight 0; scales that are not finite are an error of class fail.Input.
func (p *Prepared) FindScales(ctx context.Context, store *dataset.Store, double bool,
	warn func(string, ...any)) error {
	o := &p.options
	if o.Normalizer != kernelspec.Multiplicative && !kernelspec.Multiplicative.AskFor(p.Specs) {
		return nil
	}
	n, err := p.normalization(ctx, store, double)
	if err != nil {
		return err
	}
	p.Normalization, p.Bank.Scale = *n, n.Scale
	for i, s := range p.plain {
		p.Skeletons[i] = s.Normalised()
	}
	var flat []int
	for id, s := range n.Scale {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return p.Overflow(id, "on these data")
		}
		if s == 0 {
			flat = append(flat, id)
		}
	}
	if len(flat) > 0 {
		warn("%s without variance on these data: weight 0", p.List(flat))
	}
	return nil
}

// normalization returns the normalisation that is given, or else finds that of the points.
func (p *Prepared) normalization(ctx context.Context, store *dataset.Store, double bool) (
	*Normalization, error) {
	o := &p.options
	if o.Given == nil || o.Given.Normalization == nil {
		if n := o.Scales.find(p, store.Len(), double); n != nil {
			return n, nil
		}
		n, err := p.Bank.normalize(ctx, store, p.Shape, p.plain[1], double, o.Threads, o.Seed, o.Scratch)
		if err == nil {
			o.Scales.keep(p, n, double)
		}
		return n, err
	}
	n := *o.Given.Normalization
	if len(n.Scale) != p.Bank.Len() {
		return nil, fail.New(fail.Corrupt, "%d factors are given for %d kernels", len(n.Scale),
			p.Bank.Len())
	}
	return &n, nil
}

// SetThreads states how many threads FindScales takes from here on.
func (p *Prepared) SetThreads(threads int) { p.options.Threads = threads }

// On makes the arithmetic of the same kernels for other points of the same features, not
// normalised. Kernels that are centred are so at the mean of these points.
func (p *Prepared) On(ctx context.Context, points Points) (*Bank, error) {
	shape, err := Survey(ctx, points, p.Shape.Shift, p.options.Threads)
	if err != nil {
		return nil, err
	}
	shape.Uncentred = p.Shape.Uncentred
	b, err := NewBank(p.Expanded, shape, p.options.Normalizer, p.Matrices, p.options.Users)
	if err != nil {
		return nil, err
	}
	b.SetFills(p.Fills)
	return b, p.centreAt(ctx, b, points)
}

// centreAt centres kernels of a bank for other points at the mean of these.
func (p *Prepared) centreAt(ctx context.Context, b *Bank, points Points) error {
	sample := CentreSample(points.Len(), p.options.Seed)
	_, err := b.FindCentres(ctx, points, sample, p.options.Threads, p.options.Scratch)
	return err
}

// List names kernels by number and specification, the first few of them.
func (p *Prepared) List(ids []int) string {
	const named = 3
	var names []string
	for _, id := range ids[:min(named, len(ids))] {
		names = append(names, fmt.Sprintf("%d (%s)", id+1, p.Describe(id)))
	}
	s := "kernel " + strings.Join(names, ", ")
	if len(ids) > named {
		s += fmt.Sprintf(" and %d more", len(ids)-named)
	}
	return s
}

// Describe is a kernel's specification, cut where it lists many features.
func (p *Prepared) Describe(id int) string { return fail.Cut(p.Expanded.Brief(id)) }

// Blame names the kernel whose values have made a sum overflow. energies are the V_m = alpha'K_m
// alpha of the solver; double gives the precision in which they were computed.
func (p *Prepared) Blame(energies []float64, points Points, double bool) error {
	overflow := Overflow[float32]
	if double {
		overflow = Overflow[float64]
	}
	if id, i, found := overflow(p.Bank, points); found {
		return p.Overflow(id, fmt.Sprintf("on these data, such as k(x,x) of row %d", i+1))
	}
	for id, v := range energies {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return p.Overflow(id, "on these data")
		}
	}
	return fail.New(fail.Input, "the kernels take values whose sums are not finite on these data").
		WithHint("scale the data, or normalise the kernels")
}

// Overflow is the error of a kernel whose values are not finite; where names the data.
func (p *Prepared) Overflow(id int, where string) error {
	return fail.New(fail.Input, "kernel %d (%s) takes values that are not finite %s",
		id+1, p.Describe(id), where).
		WithHint("scale the data, or lower the degree")
}

// Changed is an error if a matrix was written to since it was opened. Its numbers may then come
// from two matrices, or not finite, so whatever was computed of them is worth nothing.
func (p *Prepared) Changed() error {
	for _, m := range p.Matrices {
		if err := m.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Close lets go of the matrices.
func (p *Prepared) Close() {
	for _, m := range p.Matrices {
		m.Close()
	}
	p.Matrices = nil
}
