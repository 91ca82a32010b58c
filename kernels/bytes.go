package kernels

import (
	"bigmkl/internal/simd"
)

// Memory is shared out before a training begins, so what packed points take has to be bounded from
// their numbers alone. The bounds may be generous, but a training that exceeds one would exceed its
// budget.

// GroupMemory states what points take that are packed for a group. All sizes are in bytes.
type GroupMemory struct {
	Group   *Group
	Element int64 // size of an element of the tiles, 4 or 8
}

// Rows bounds what the packed rows of q points of the group take, if they are not packed by
// their non-zeros.
//
// Sparse groups are counted by Evaluator.RowsBytes, which knows the points.
func (m GroupMemory) Rows(q int) int64 {
	g, element := m.Group, m.Element
	if g.text != nil {
		rows, _ := m.text(q)
		return rows
	}
	if g.Base == Factored {
		rows, _ := m.product(q)
		return rows
	}
	if g.Base == userValue {
		return m.user(q)
	}
	if g.Base == Looked {
		return int64(q) * (24*int64(g.lookups()) + element)
	}
	// Whole blocks of points with all features and a norm each, and the factor of the spherical
	// normalisation.
	return int64(blocks(q)*simd.Rows*(g.Dim+1)+q) * element
}

// Columns is Rows for a packed panel.
func (m GroupMemory) Columns() int64 {
	g, element := m.Group, m.Element
	if g.text != nil {
		_, columns := m.text(0)
		return columns
	}
	if g.Base == Factored {
		_, columns := m.product(0)
		return columns
	}
	if g.Base == userValue {
		return m.user(simd.Width)
	}
	if g.Base == Looked {
		return simd.Width * (4*int64(g.Dim) + element)
	}
	return int64(g.Dim) * simd.Width * element
}

// Scratch is what the tiles of the factors of a product take. It is 0 for other groups.
//
// An evaluator keeps these tiles from one call of Base to the next.
func (m GroupMemory) Scratch() int64 {
	most := 0
	for _, f := range m.Group.Factors {
		most = max(most, f.Group.TileSize(productRows)+BaseSize(productRows))
	}
	return int64(most) * m.Element
}

// product bounds what a product takes for q packed rows and for a packed panel, with the tiles
// of its factors.
func (m GroupMemory) product(q int) (rows, columns int64) {
	g, element := m.Group, m.Element
	for _, f := range g.Factors {
		factor := GroupMemory{f.Group, element}
		rows += factor.Rows(q)
		columns += factor.Columns()
	}
	if g.centre != nil {
		rows += 8 * int64(q)
		columns += 8*simd.Width + int64(BaseSize(productRows))*element
	}
	return rows + int64(q)*element, columns + simd.Width*element + m.Scratch()
}

// text bounds what string kernels take for q packed rows and for a packed panel.
func (m GroupMemory) text(q int) (rows, columns int64) {
	g, element := m.Group, m.Element
	t := g.text
	length := int64(t.length(g.Dim))
	rows, columns = int64(q)*length, simd.Width*length // the letters
	if g.Base == letterMatches {
		words := (length + 63) / 64 * int64(t.planes+1) * 8
		return rows + int64(q)*words, columns + simd.Width*words + int64(2*t.shift+2)*words
	}
	for l := range t.layers {
		// A sequence has at most as many words as letters, and each counts for its neighbours.
		terms := length * int64(max(1, len(t.layers[l].near)))
		if t.short(l) {
			all := int64(1) << (t.planes * t.layers[l].length)
			rows += int64(q) * min(terms+4, all) * (4 + element)
			columns += all * (simd.Width*element + 4)
			continue
		}
		rows += int64(q)*terms*(8+element) + 8*terms
		columns += simd.Width*terms*(16+2*2*16) + bloomBits/8
	}
	return rows, columns
}

// user bounds what the features of q points take that a user's kernel is called with.
func (m GroupMemory) user(q int) int64 {
	return int64(q) * (4*int64(m.Group.Dim) + 24 + m.Element)
}

// Centre bounds what a prediction takes for the sample of a centred group, packed, of q points. It is 0 for other
// groups.
func (m GroupMemory) Centre(q int) int64 {
	if m.Group.centre == nil {
		return 0
	}
	return GroupMemory{m.Group.Factors[0].Group, m.Element}.Rows(q)
}
