package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// Alignments is the output of align --json: the alignment of kernels with each other and with the
// labels, before any training. Numbers that are not defined are null.
type Alignments struct {
	// Rows is the number of rows of the data, and Sample the number of rows that the pairs come from.
	Rows   int `json:"n"`
	Sample int `json:"sample"`
	// Centred is set if the mean of the features was removed first. Without that, large constant parts
	// make all kernels seem alike.
	Centred bool            `json:"centred"`
	Kernels []AlignedKernel `json:"kernels"`
	// Matrix holds the alignment of each pair of kernels. It is null if they are too many.
	Matrix [][]*float64 `json:"matrix"`
}

// AlignedKernel is a kernel and its alignment with the labels.
type AlignedKernel struct {
	Spec   string   `json:"spec"`
	Labels *float64 `json:"labels"`
}

// mostAlignments is the length of a file of alignments that is read. That is 16 letters for each number
// of the matrix of 4,096 kernels.
const mostAlignments = 256 << 20

// ReadAlignments reads what align --json printed. Something else is of class fail.Input. path is for
// messages.
func ReadAlignments(r io.Reader, path string) (*Alignments, error) {
	// The limit bounds the memory for a file of something else. 4,096 kernels have a
	// matrix of about 16 million numbers.
	d := json.NewDecoder(io.LimitReader(r, mostAlignments))
	a := &Alignments{}
	err := d.Decode(a)
	// The file may come from anywhere, so its shape and the range of its numbers are checked before
	// anything is drawn.
	sound := err == nil && len(a.Kernels) > 0 && (a.Matrix == nil || len(a.Matrix) == len(a.Kernels))
	// By the inequality of Cauchy and Schwarz an alignment is at most 1. Rounding may add a little.
	possible := func(x *float64) bool { return x == nil || math.Abs(*x) <= 1+1e-6 }
	for _, k := range a.Kernels {
		sound = sound && possible(k.Labels)
	}
	for _, row := range a.Matrix {
		sound = sound && len(row) == len(a.Kernels) && !slices.ContainsFunc(row, func(x *float64) bool { return !possible(x) })
	}
	if !sound {
		return nil, fail.New(fail.Input, "not the alignments of kernels").At(path, 0, 0).
			WithHint("bigmkl align --json prints them")
	}
	return a, nil
}

// AddAlignments adds how much each kernel is like the labels, and the kernels like each other. specs
// holds the specification of each kernel of the model, and names has the short names. Another number of
// kernels is of class fail.Input; of another kernel the page warns.
func (p *Page) AddAlignments(a *Alignments, specs, names []string) error {
	if len(a.Kernels) != len(names) {
		return fail.New(fail.Input, "the alignments are of %d kernels, the model has %d", len(a.Kernels), len(names)).
			WithHint("run align with the data and the kernels of this model")
	}
	of := "all"
	// Alignments of a sample are estimates, so the page names its size.
	if a.Sample < a.Rows {
		of = fmt.Sprintf("%d of", a.Sample)
	}
	blocks := []block{paragraph("Alignment is the correlation of two kernels over pairs of rows (of %s %d rows): 1 for kernels that are equal up to scale, 0 for kernels that have nothing in common. "+
		"With the labels it says how far a kernel by itself knows the classes, before any training. A kernel that is aligned with the labels and light in the model "+
		"is likely one whose part another kernel does.", of, a.Rows), {Table: alignmentTable(a, names)}}
	if h := alignmentMap(a, names); h != nil {
		blocks = append(blocks, block{Figures: []figure{*h}})
	}
	// One warning is enough: a file of another model differs in most kernels.
	for i, k := range a.Kernels {
		if k.Spec != "" && k.Spec != specs[i] {
			blocks = slices.Insert(blocks, 0, paragraph("Careful: the alignments are of other kernels than those of the model, of %s in place of %s.",
				clean(k.Spec), clean(specs[i])))
			break
		}
	}
	p.add("alignments", "What the kernels have in common", blocks...)
	return nil
}

// alignmentTable lists the kernels that are most aligned with the labels.
func alignmentTable(a *Alignments, names []string) *table {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	// Stable: kernels of equal alignment keep the order of the model.
	slices.SortStableFunc(order, func(i, j int) int {
		// An undefined alignment is NaN, which cmp orders below all numbers, so it comes last.
		return cmp.Compare(orNaN(a.Kernels[j].Labels), orNaN(a.Kernels[i].Labels))
	})
	t := &table{Caption: "Alignment with the labels, the largest first", Head: []string{"kernel", "", "alignment"}}
	// A negative alignment has a bar of no length. Its number is in the last column.
	for _, i := range order[:min(len(order), mostBars)] {
		x, shown := orNaN(a.Kernels[i].Labels), cell{Text: "–"}
		if float.Finite(x) {
			shown.Text = fmt.Sprintf("%.4f", x)
		}
		t.Rows = append(t.Rows, []cell{{Text: names[i]}, bar(x), shown})
	}
	if more := len(order) - mostBars; more > 0 {
		t.More = fmt.Sprintf("and %d further ones, which bigmkl align --all lists", more)
	}
	return t
}

// alignmentMap shows the alignments of the first kernels with each other, nil if there are none. The
// order is the order of the model, in which kernels of one view are often next to each
// other. Blocks then show views that are alike.
func alignmentMap(a *Alignments, names []string) *figure {
	n := min(len(names), mostColumns)
	// The matrix of one kernel is the number 1.
	if a.Matrix == nil || n < 2 {
		return nil
	}
	h := HeatMap{Label: "alignment of each pair of kernels", Rows: names[:n], Columns: names[:n], RowTitle: "kernel", ColumnTitle: "kernel"}
	for _, row := range a.Matrix[:n] {
		shades, texts := make([]float64, n), make([]string, n)
		for j, x := range row[:n] {
			if shades[j] = orNaN(x); float.Finite(shades[j]) {
				texts[j] = trim(shades[j], 2)
			}
		}
		h.Shades, h.Texts = append(h.Shades, shades), append(h.Texts, texts)
	}
	caption := "The alignment of each pair of kernels. Dark blocks are kernels that say much the same, so that a sparse norm may keep any one of them."
	if n < len(names) {
		caption += fmt.Sprintf(" The first %d of %d kernels.", n, len(names))
	}
	return &figure{Chart: h.draw(), Caption: caption}
}
