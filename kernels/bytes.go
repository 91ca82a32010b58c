package kernels

import (
	"bigmkl/internal/simd"
)

// Memory is shared out before a training begins, so what packed points take has to be bounded from
// their numbers alone. All sizes here are in bytes; element is the size of an element of the
// tiles, 4 or 8. The bounds may be generous, but a training that exceeds one would exceed its
// budget.

// RowsBytes bounds what the packed rows of q points of the group take, if they are not packed by
// their non-zeros.
//
// Sparse groups are counted by Evaluator.RowsBytes, which knows the points.
func RowsBytes(g *Group, q int, element int64) int64 {
	if g.text != nil {
		rows, _ := textBytes(g, q, element)
		return rows
	}
	if g.Base == Factored {
		rows, _ := productBytes(g, q, element)
		return rows
	}
	if g.Base == userValue {
		return userBytes(g, q, element)
	}
	if g.Base == Looked {
		return int64(q) * (24*int64(g.lookups()) + element)
	}
	// Whole blocks of points with all features and a norm each, and the factor of the spherical
	// normalisation.
	return int64(blocks(q)*simd.Rows*(g.Dim+1)+q) * element
}

// ColumnsBytes is RowsBytes for a packed panel.
func ColumnsBytes(g *Group, element int64) int64 {
	if g.text != nil {
		_, columns := textBytes(g, 0, element)
		return columns
	}
	if g.Base == Factored {
		_, columns := productBytes(g, 0, element)
		return columns
	}
	if g.Base == userValue {
		return userBytes(g, simd.Width, element)
	}
	if g.Base == Looked {
		return simd.Width * (4*int64(g.Dim) + element)
	}
	return int64(g.Dim) * simd.Width * element
}

// Scratch is what the tiles of the factors of a product take. It is 0 for other groups.
//
// An evaluator keeps these tiles from one call of Base to the next.
func (g *Group) Scratch(element int64) int64 {
	most := 0
	for _, f := range g.Factors {
		most = max(most, f.Group.TileSize(productRows)+BaseSize(productRows))
	}
	return int64(most) * element
}

// productBytes bounds what a product takes for q packed rows and for a packed panel, with the tiles
// of its factors.
func productBytes(g *Group, q int, element int64) (rows, columns int64) {
	for _, f := range g.Factors {
		rows += RowsBytes(f.Group, q, element)
		columns += ColumnsBytes(f.Group, element)
	}
	if g.centre != nil {
		rows += 8 * int64(q)
		columns += 8*simd.Width + int64(BaseSize(productRows))*element
	}
	return rows + int64(q)*element, columns + simd.Width*element + g.Scratch(element)
}

// textBytes bounds what string kernels take for q packed rows and for a packed panel.
func textBytes(g *Group, q int, element int64) (rows, columns int64) {
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

// userBytes bounds what the features of q points take that a user's kernel is called with.
func userBytes(g *Group, q int, element int64) int64 {
	return int64(q) * (4*int64(g.Dim) + 24 + element)
}
