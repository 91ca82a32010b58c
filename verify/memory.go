package verify

import (
	"fmt"
	"slices"
	"strings"

	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// The memory of a verification is counted from the model alone, before anything is allocated for
// what it claims. The size of a batch follows from the problem, because sums depend on it in
// their last bits; the number of batches that are evaluated at a time follows from the budget.
const (
	programBytes = 12 << 20 // the program, its stacks and the tables of the runtime
	heapSlack    = 1.15     // memory of a heap that is kept to its budget, relative to what is in use
)

// memoryUse is a part of the memory of a verification: its name, the formula that an error shows
// (n rows, d features, M kernels), and its size in bytes.
type memoryUse struct {
	name, formula string
	bytes         int64
}

// account counts the memory that the evaluation of a problem takes.
type account struct{ *problem }

// shareMemory sets the number of threads that the budget allows, at most Options.Threads. If the
// budget is too small for one, it returns an error of class budget that lists all parts and the
// least budget that does.
func (p *account) shareMemory(o *Options) error {
	fixed, batch, thread := p.countMemory(o.Sample)
	// One thread has three batches: that which it evaluates, one that waits, and one that is read.
	fixed = append(fixed, memoryUse{"three batches of rows", "", 3 * batch},
		memoryUse{"work of a thread", "", thread})
	if o.Ranks != nil {
		fixed = append(fixed, p.countRanks(o.Ranks))
	}
	least, text := int64(programBytes), []string{"the program " + bytesize.Text(programBytes)}
	for _, x := range fixed {
		bytes := int64(heapSlack * float64(x.bytes))
		least += bytes
		text = append(text, strings.Join(strings.Fields(x.name+" "+x.formula), " ")+" = "+bytesize.Text(bytes))
	}
	if least > o.Memory {
		return fail.New(fail.Budget, "verifying takes %s of memory: %s; --memory is %s",
			bytesize.Text(least), strings.Join(text, " + "), bytesize.Text(o.Memory)).
			WithHint("the least that is enough is --memory %s", bytesize.Flag(least))
	}
	// Each further thread has a batch and its own work.
	more := int64(heapSlack * float64(batch+thread))
	if o.Heap != nil {
		o.Heap(o.Memory)
	}
	p.threads = int(min(int64(o.Threads), 1+(o.Memory-least)/max(more, 1)))
	return nil
}

// explainRejection returns the error for a model whose kernels alone exceed the budget. It counts
// the whole verification from an outline of the kernels, which has no features in it, so the
// error names a budget that is enough for all. If the outline fits, it returns tooMany.
func explainRejection(m *model.Model, o *Options, tooMany error) error {
	bank, err := m.Expansion().Outline()
	if err != nil {
		return err
	}
	p := &problem{definitions: definitions{m: m, bank: bank, users: o.UserKernels}, traits: wingOf(m).traits(m)}
	for id := range bank.Kernels {
		if k := &bank.Kernels[id]; baseOf(k.Kind) != matrixEntry {
			g := p.newGroup(k, true)
			g.kernels = []int32{int32(id)}
			p.groups = append(p.groups, g)
		}
	}
	if err := p.extend(); err != nil {
		return err
	}
	if err := (&account{p}).shareMemory(o); err != nil {
		return err
	}
	return tooMany
}

// countMemory returns the memory that is in use all the time, the memory of a batch of rows, and
// the memory of a thread besides its batch, all in bytes. The sample is Options.Sample.
func (p *account) countMemory(sample int) (fixed []memoryUse, batch, thread int64) {
	m := p.m
	d, n, vectors := int64(0), int64(m.Points), int64(len(m.Support))
	if laidOut(m) {
		d = int64(m.Features)
	}
	classifiers, kernels, each := int64(p.traits.classifiers), int64(m.Len()), int64(p.traits.ofRow)
	duals := vectors + int64(p.traits.duals)
	// These are the fields of totals, which every thread has for its batch, too.
	sums := classifiers * kernels * (16 + 8 + 8)
	features := 48 * d
	if slices.ContainsFunc(m.Kernels, func(s string) bool { return strings.Contains(s, "linear") }) {
		features += classifiers * d * bytesOfFeature
	}
	fixed = []memoryUse{
		{"rows", "32 n", 32 * n},
		{"features", fmt.Sprintf("%d d", features/max(d, 1)), features},
		{"support vectors but for their features", "24 for each dual variable", 24 * duals},
		{"kernels", "300 M + 32 M for each classifier", 300*kernels + sums + classifiers*(16*kernels+2048)},
	}
	if model.HasPairs(m.Task) {
		// The pairs and a mark of each, and of each row its value, its group and two sums.
		fixed = append(fixed, memoryUse{"pairs of rows", "24 for each, and 160 n", m.RowPairs.Bytes() + 8*int64(len(m.RowPairs.Beta)) + 160*n})
	}
	fixed = append(fixed, p.extended.memory...)
	if sample > 0 {
		fixed = append(fixed, memoryUse{"the sample", "64 for each row", 64 * int64(min(sample, m.Points))})
	}
	if o := p.bank.Omitted; o.Elements > 0 {
		bytes := 300*int64(o.Kernels) + 300*int64(o.Sets) + 8*o.Elements
		fixed = append(fixed, memoryUse{"features of kernels", "", bytes})
	}
	for _, set := range p.bank.Sets {
		fixed[3].bytes += 4 * int64(len(set))
	}
	if m.Centre != nil {
		fixed = append(fixed, memoryUse{"rows at whose mean kernels are centred", "", m.Centre.Bytes() + 8*vectors*kernels})
	}
	// Vectors that are mapped from the file are not anonymous memory.
	if !m.Mapped() {
		bytes := 4 * int64(len(m.Vectors))
		if m.Sparse != nil {
			bytes += 8 * (int64(len(m.Sparse.Start)) + int64(len(m.Sparse.Index)))
		}
		fixed = append(fixed, memoryUse{"features of the support vectors", "", bytes})
	}
	// A thread lays out a block of the kept rows and a tile of them.
	blocks := int64(0)
	if m.Normalization.Scale != nil {
		some := n
		if n > allPairs {
			some = somePairs
		}
		fixed = append(fixed, memoryUse{"rows that variances are checked on",
			"24 d + 16 M, and their non-zeros", 24*d + 32*kernels + some*keptBytes(m)})
		blocks = 4 * d * (blockRows + min(tile, max(blockRows, 1<<24/max(1, d))))
	}
	size := int64(batchSize(m, computed(m, int(classifiers), sample)))
	batch = size * (4*d + p.extended.ofRow + each*64 + 128)
	// What the kind of a group takes besides, the largest group, and the bases in memory at a time.
	one, most, copies := int64(0), int64(1), int64(1)
	for i := range p.groups {
		g := &p.groups[i]
		most = max(most, int64(len(g.kernels)))
		switch g.base {
		case stringKernel:
			one = max(one, size*(d+8*tableWords+64*d), tile*8)
		case userKernel:
			one = max(one, 4*d*(tile+size))
		case productKernel:
			copies = 2
			for j := range g.factors {
				if b := g.factors[j].group.base; b == stringKernel || b == userKernel {
					one = max(one, 4*d*(tile+size), size*(d+8*tableWords+64*d))
				}
			}
		}
	}
	// Blocks of features, bases, sums of the kernels of a group, and decision values.
	numbers := (size+tile)*featureBlock + copies*size*tile + 2*most*size*each + 6*size*each
	thread = one + blocks + 32*kernels + 8*numbers + sums + 32*tile + 4*d
	return fixed, batch, thread
}

// keptBytes returns an upper bound of the memory of a kept row: all of its features, or as many
// other than 0 as the densest support vector has, where the model stores its vectors sparsely.
func keptBytes(m *model.Model) int64 {
	bytes := 4 * int64(m.Features)
	if m.Sparse == nil {
		return bytes
	}
	most := int64(0)
	for s := range m.Support {
		most = max(most, m.Sparse.Start[s+1]-m.Sparse.Start[s])
	}
	return min(bytes, 8*most+64)
}
