package letters

import (
	"slices"
	"strconv"
)

// classes are the labels of rows and the rows of each, in the order of LIBSVM: that of their first rows,
// but +1 before -1 if these are the labels. The order decides which class of a pair is positive and
// which class wins a tie, so it must be the order of LIBSVM.
type classes struct {
	labels []int32
	rows   [][]int32
	// place is the class of each row of the problem, -1 for rows that are left out.
	place []int32
}

// groupClasses groups rows of a problem. A label is the integer part of the number in the file.
func groupClasses(p *problem, rows []int32) *classes {
	c := &classes{place: make([]int32, p.rows())}
	for i := range c.place {
		c.place[i] = -1
	}
	// known maps a label to its class.
	known := map[int32]int32{}
	for _, i := range rows {
		label := labelOf(p.target[i])
		k, ok := known[label]
		if !ok {
			k = int32(len(c.labels))
			known[label] = k
			c.labels, c.rows = append(c.labels, label), append(c.rows, nil)
		}
		c.rows[k] = append(c.rows[k], i)
	}
	// LIBSVM exchanges these two labels alone, so +1 is the positive class whichever comes first.
	if slices.Equal(c.labels, []int32{-1, 1}) {
		slices.Reverse(c.labels)
		slices.Reverse(c.rows)
	}
	for k, list := range c.rows {
		for _, i := range list {
			c.place[i] = int32(k)
		}
	}
	return c
}

// labelOf returns the label that a number in a file represents: its integer part, as a cast to
// int gives in C.
// Numbers beyond 32 bits become the nearest label.
func labelOf(target float64) int32 {
	return int32(max(min(target, 1<<31-1), -1<<31))
}

// name returns the label of a class as text.
func (c *classes) name(class int) string { return strconv.Itoa(int(c.labels[class])) }

// named returns the number of the class with a label as text, and -1 if there is none. A fold
// may lack a class of all rows.
func (c *classes) named(label string) int {
	n, _ := strconv.ParseInt(label, 10, 32) // It is one that this program has written.
	return slices.Index(c.labels, int32(n))
}

// weights returns the factor of the cost of each class. missing lists the labels that no row has.
func (c *classes) weights(list []classWeight) (factors []float64, missing []int32) {
	factors = slices.Repeat([]float64{1}, len(c.labels))
	// Several weights of a class multiply.
	for _, w := range list {
		if k := slices.Index(c.labels, w.label); k >= 0 {
			factors[k] *= w.weight
		} else {
			missing = append(missing, w.label)
		}
	}
	return factors, missing
}

// pairs calls do for each pair of classes in the order of LIBSVM, with its number.
func pairs(classes int, do func(pair, i, j int)) {
	pair := 0
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			do(pair, i, j)
			pair++
		}
	}
}

// pairOf returns the number of the pair of classes i < j among so many. It is the number of pairs whose
// first class is below i, i (2 classes - i - 1) / 2, and the place of j after i.
func pairOf(classes, i, j int) int { return i*(2*classes-i-1)/2 + j - i - 1 }
