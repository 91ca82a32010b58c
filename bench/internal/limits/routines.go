package limits

import (
	"fmt"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/simd"
)

// routineCase measures one routine on one shape.
// kind is the element type, and unit the unit of a rate.
type routineCase struct {
	name, kind, shape string
	unit              string
	// prepare allocates what the work needs and returns the work.
	prepare func() harness.Workload
	// peak returns the work that bounds the routine and is measured in turns with it.
	peak func() harness.Workload
	// factor is the bound as a part of the peak.
	factor float64
	// by describes the bound in the table.
	by string
	// floor is the least share of the bound in percent, or 0 if there is no floor.
	floor float64
}

// measure measures the routine and its bound in turns, and returns the row of the table.
func (c *routineCase) measure(p harness.Sampler) routineRow {
	// The clock of a processor changes with its load and its temperature. Turns give both the same
	// clock.
	// share is the median over samples of the ratio of both rates.
	r, peak, share := p.MeasureAgainst(c.peak(), c.prepare())
	row := routineRow{
		Routine: c.name, Type: c.kind, Shape: c.shape, Rate: r.CPU / Giga, Wall: r.Wall / Giga,
		Unit: c.unit, Bound: peak.CPU * c.factor / Giga,
		By: c.by, Share: 100 * share / c.factor, Floor: c.floor,
	}
	if c.floor > 0 {
		row.Verdict = MetOrNot(row.Share >= c.floor)
	}
	return row
}

const (
	// cachedValues is a number of elements that stay in the first-level cache.
	cachedValues = 2048
	// fewFeatures is a number of features for which a panel stays in that cache.
	fewFeatures = 64
	// ProductFloor is the floor for products in percent of the peak.
	ProductFloor = 85
	// FusedFloor is the number of entries per floating-point operation of the float32 peak. An entry is
	// one value of one kernel: an exp, a product with a weight and an addition.
	FusedFloor = 0.045
)

// The constants count the vector instructions that a function needs for each element. An exp takes
// 3 to reduce the argument, a table of 2^(i/32) with a polynomial of degree 2 or a long polynomial,
// and 2 to scale and to flush underflow. A tanh takes an exp, 3 for the argument and for the ends
// of the quotient, and about 4 for the quotient. A chi-square takes two sums, a square, a
// reciprocal of 3 and a product. A store counts as two, because only one fits in a cycle.
const (
	// float64 needs a longer polynomial, so it has more instructions.
	opsExp32, opsExp64   = 9, 15
	opsTanh32, opsTanh64 = opsExp32 + 7, opsExp64 + 9
	opsChi32, opsChi64   = 7, 9
	opsPower3            = 3
	opsSubtraction       = 2 // It subtracts, then multiplies and adds.
	opsMinimum           = 2 // It takes a minimum and adds.
	opsAbsolute          = 3 // It subtracts, clears the sign and adds.
	opsDistance          = 3 // It adds, multiplies and adds, and takes a maximum.
	opsCombination       = 2 // It multiplies and adds twice.
	opsStore             = 2 // It stores, whatever little it computes.
	flopsOfOperation     = 2 // A multiply-add of the peak counts as two.
)

// routineLister collects the measurements for one element type.
// kind is the name of T in the table.
type routineLister[T simd.Real] struct {
	kind string
	list []routineCase
}

// routinesOf lists the measurements for one element type.
func routinesOf[T simd.Real](kind string) []routineCase {
	l := &routineLister[T]{kind: kind}
	// The order is the order of a training: products, distances, functions of them, sums, preparation.
	l.products()
	l.differences()
	l.transforms()
	l.sums()
	l.columns()
	return l.list
}

// single reports whether the element type is float32.
func (l *routineLister[T]) single() bool { return l.kind == "float32" }

// pick selects a count by the element type.
func (l *routineLister[T]) pick(f32, f64 int) int {
	if l.single() {
		return f32
	}
	return f64
}

// floor returns the percentage for float32 at levels with vector instructions, and otherwise 0,
// which means no floor.
func (l *routineLister[T]) floor(percent float64) float64 {
	// Floors are promises about the assembly in single precision, in which most of a training runs.
	if !l.single() || simd.Level() == "go" {
		return 0
	}
	return percent
}

// add lists a routine. Its bound is the peak of multiply-adds if operations is 0, and else the
// rate at which a processor at its peak would execute that many vector instructions for each
// element.
// It returns the case, in which a caller can set a floor or another bound. The pointer is valid until the
// next add.
func (l *routineLister[T]) add(name, shape string, operations int, of, unit string,
	prepare func() harness.Workload) *routineCase {
	c := routineCase{name: name, kind: l.kind, shape: shape, unit: unit, prepare: prepare,
		peak: PeakWork[T], factor: 1, by: "the peak"}
	if operations > 0 {
		c.factor, c.by = 1/float64(flopsOfOperation*operations), operationsBy(operations, of)
	}
	l.list = append(l.list, c)
	return &l.list[len(l.list)-1]
}

// products lists the routines that compute products of rows with panels. MNIST has 784 features and
// epsilon 2,000. The others are small sets and multiples of the vector width.
func (l *routineLister[T]) products() {
	for _, k := range []int{8, 64, 256, 784, 2000} {
		shape := fmt.Sprintf("D = %d, %d rows", k, workingRows)
		// A multiply-add counts as two units.
		l.add("Dot", shape, 0, "", "GFLOP/s",
			func() harness.Workload { return newPanels[T](k).stream(simd.Dot[T], 2) })
		c := l.add("Product", shape, 0, "", "GFLOP/s",
			func() harness.Workload { return newPanels[T](k).product() })
		// Rows of few features are bound by loads and stores, and have no floor.
		if k >= 64 {
			c.floor = l.floor(ProductFloor)
		}
	}
	for _, entries := range []int{16, 128} {
		l.add("SparseDot", fmt.Sprintf("%d of 784 features, %d rows", entries, workingRows), 0, "",
			"GFLOP/s", func() harness.Workload { return newPanels[T](784).sparse(entries) })
	}
}

// differences lists the routines that compute distances. Ten features are bound by the stores of the
// result, and 784 by the arithmetic.
func (l *routineLister[T]) differences() {
	for _, k := range []int{10, 784} {
		// The bound is by operations for each feature of a pair of points.
		tile := func(name string, operations int, f func(dst, a, x []T, k int)) {
			l.add(name, fmt.Sprintf("D = %d, %d rows", k, workingRows), operations, "feature",
				"G terms/s",
				func() harness.Workload { return newPanels[T](k).stream(f, 1) })
		}
		tile("SquaredDiff", opsSubtraction, simd.SquaredDiff[T])
		tile("AbsDiff", opsAbsolute, simd.AbsDiff[T])
		tile("MinSum", opsMinimum, simd.MinSum[T])
		tile("ChiSquare", l.pick(opsChi32, opsChi64), simd.ChiSquare[T])
	}
	l.add("DistanceFromDot", "a tile", opsDistance, "entry", "G entries/s", func() harness.Workload {
		//a - x|^2 = |a|^2 + |x|^2 - 2 a'x for a tile of products.
		t, na, nx := drawNumbers[T](simd.Rows*simd.Width, 0, 1), drawNumbers[T](simd.Rows, 0,
			1), drawNumbers[T](simd.Width, 0, 1)
		return func() float64 {
			simd.DistanceFromDot(t, na, nx)
			return float64(len(t))
		}
	})
}

// transforms lists the routines that apply functions to base values. Fifty kernels with one base, such
// as fifty widths of Gaussians, share the distances. These routines then take most of the time.
func (l *routineLister[T]) transforms() {
	const kernels = 50
	// Negative scales give exp(-gamma d^2) with many widths.
	scale, weight := make([]float64, kernels), drawNumbers[float64](kernels, 0, 1)
	for m := range scale {
		scale[m] = -0.01 * float64(m+1)
	}
	exp := l.pick(opsExp32, opsExp64)
	for _, rows := range []int{simd.Rows, workingRows, 512} {
		c := l.add("ExpRows", fmt.Sprintf("%d rows, %d kernels", rows, kernels), exp+1, "entry",
			"G entries/s", func() harness.Workload {
				g, base, coef := make([]float64, kernels*simd.Width), drawNumbers[T](rows*simd.Width, 0,
					4), drawNumbers[T](rows, -1, 1)
				return func() float64 {
					simd.ExpRows(g, base, coef, scale, weight)
					return float64(kernels * len(base))
				}
			})
		if l.single() {
			c.factor, c.by, c.floor = FusedFloor, fmt.Sprintf("%g entries for each flop of the peak", FusedFloor), l.floor(100)
		}
	}
	l.add("ExpSum", fmt.Sprintf("%d rows, %d kernels", workingRows, kernels), exp+1, "entry",
		"G entries/s", func() harness.Workload {
			dst, base := make([]T, workingRows*simd.Width), drawNumbers[T](workingRows*simd.Width, 0, 4)
			return func() float64 {
				clear(dst)
				simd.ExpSum(dst, base, scale, weight)
				return float64(kernels * len(base))
			}
		})
	// The values stay in the first-level cache, so only instructions count.
	elementwise := func(name string, operations int, f func(dst, src []T)) {
		l.add(name, fmt.Sprintf("%d values", cachedValues), operations, "entry", "G entries/s",
			func() harness.Workload {
				src, dst := drawNumbers[T](cachedValues, -4, 0), make([]T, cachedValues)
				return func() float64 { f(dst, src); return cachedValues }
			})
	}
	elementwise("Exp", exp, func(dst, src []T) { simd.Exp(dst, src, 1) })
	elementwise("Power", opsPower3, func(dst, src []T) { simd.Power(dst, src, 0.5, 1, 3) })
	elementwise("Tanh", l.pick(opsTanh32, opsTanh64),
		func(dst, src []T) { simd.Tanh(dst, src, 0.5, 0) })
}

// sums lists the routines that add up rows.
func (l *routineLister[T]) sums() {
	for _, rows := range []int{simd.Rows, workingRows, 512} {
		shape := fmt.Sprintf("%d rows", rows)
		// rowsOf measures a function that adds rows of kernel values, with a coefficient each.
		rowsOf := func(f func(g []float64, k, coef []T)) func() harness.Workload {
			return func() harness.Workload {
				g, k, coef := make([]float64,
					simd.Width), makeOnes[T](rows*simd.Width), drawNumbers[T](rows, -1, 1)
				return func() float64 { f(g, k, coef); return float64(len(k)) }
			}
		}
		l.add("AddRows", shape, 1, "entry", "G entries/s",
			rowsOf(func(g []float64, k, coef []T) { simd.AddRows(g, k, coef, 1) }))
		l.add("SquareRows", shape, opsStore, "entry", "G entries/s",
			rowsOf(func(g []float64, k, coef []T) { simd.SquareRows(g, k, coef, 1) }))
	}
	// A value is read and written, so it is bound by stores.
	l.add("AddScaled", fmt.Sprintf("%d values", cachedValues), opsStore, "value", "G values/s",
		func() harness.Workload {
			src, dst := drawNumbers[T](cachedValues, -4, 0), make([]T, cachedValues)
			return func() float64 { simd.AddScaled(dst, src, 0.5); return cachedValues }
		})
	l.addTo()
	if l.single() {
		return // Combine exists for float64 alone.
	}
	l.add("Combine", "50 kernels", opsCombination, "value", "G values/s", func() harness.Workload {
		const kernels = 50
		// Combine adds theta_m g_m over the kernels, and sums g_m alpha.
		g, alpha, part := drawNumbers[float64](kernels*simd.Width, -1,
			1), drawNumbers[float64](simd.Width, -1, 1), make([]float64, simd.Width)
		theta, sum := drawNumbers[float64](kernels, 0, 1), make([]float64, kernels)
		return func() float64 {
			clear(part)
			simd.Combine(g, alpha, part, theta, sum)
			return float64(len(g))
		}
	})
}

// addTo lists AddTo, which adds rows to float64 rows. It is measured in the first-level cache, and
// on more memory than any cache holds, where the bound is the time to read as many bytes.
func (l *routineLister[T]) addTo() {
	const short = cachedValues / 2
	// per is the number of units for each value.
	adder := func(n int, per float64) harness.Workload {
		dst, src := make([]float64, n), repeatNumbers[T](n)
		return func() float64 {
			simd.AddTo(dst, src, 0.5)
			return per * float64(n)
		}
	}
	near := l.add("AddTo", fmt.Sprintf("%d values", short), opsStore, "value", "G values/s",
		func() harness.Workload { return adder(short, 1) })
	near.peak = PeakWork[float64]
	// The bytes that are read for each value count; the 8 that are written go back to memory
	// meanwhile.
	read := 8 + bytesOf[T]()
	// So many values do not fit into any cache, and each round reads all of them from memory.
	long := int(streamBytes()) / read
	far := l.add("AddTo", fmt.Sprintf("%d M values", long/1e6), 0, "", "GB/s read",
		func() harness.Workload { return adder(long, float64(read)) })
	far.by, far.peak = "reading memory", func() harness.Workload { return readWork(equalHalves(long * read)) }
}

// columns lists the routines that prepare panels. A panel is prepared once and used for many rows, so
// these routines have no floors.
func (l *routineLister[T]) columns() {
	const size = fewFeatures * simd.Width
	shape := fmt.Sprintf("%d features", fewFeatures)
	// panel measures the preparation of one panel of fewFeatures features.
	panel := func(name string, operations int, f func(dst []T, src, shift []float32, x []T)) {
		l.add(name, shape, operations, "value", "G values/s", func() harness.Workload {
			dst, src, shift, x := make([]T, size), drawNumbers[float32](size, 0,
				1), drawNumbers[float32](fewFeatures, 0, 1), drawNumbers[T](size, 0, 1)
			return func() float64 { f(dst, src, shift, x); return size }
		})
	}
	index := make([]int32, fewFeatures)
	for i := range index {
		// 37 has no divisor in common with 64, so every feature occurs once.
		index[i] = int32((i*37 + 11) % fewFeatures)
	}
	panel("Shift", opsStore,
		func(dst []T, src, shift []float32, _ []T) { simd.Shift(dst, src, shift, fewFeatures) })
	panel("Gather", opsStore,
		func(dst []T, src, shift []float32, _ []T) { simd.Gather(dst, src, shift, index) })
	panel("ColumnSquares", 1,
		func(dst []T, _, _ []float32,
			x []T) {
			simd.ColumnSquares(dst[:simd.Width], x, fewFeatures)
		})
	l.add("RowSquares", shape, 1, "value", "G values/s", func() harness.Workload {
		dst, a := make([]T, simd.Rows), drawNumbers[T](fewFeatures*simd.Rows, 0, 1)
		return func() float64 { simd.RowSquares(dst, a, fewFeatures); return float64(len(a)) }
	})
	panel("CopyAhead", opsStore, func(dst []T, _, _ []float32, x []T) {
		for i := 0; i < size; i += simd.Width {
			simd.CopyAhead(dst[i:i+simd.Width], x[i:i+simd.Width])
		}
	})
}

// operationsBy describes a bound that is given by a number of operations.
// of is the thing that is counted, such as entry.
func operationsBy(n int, of string) string {
	if n == 1 {
		return "1 operation for each " + of
	}
	return fmt.Sprintf("%d operations for each %s", n, of)
}
