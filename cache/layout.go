package cache

import (
	"slices"

	"bigmkl/mmap"
)

// layout is one choice of elements of the rows. The first layout holds every element, and each
// later one some of the elements of the layout before.
type layout struct {
	rowBytes int64
	// places lists where the elements of a present row are in a row of this layout. It is nil for
	// the present layout.
	places []int32
}

// layouts holds all layouts from the first to the present one.
type layouts struct {
	chain []layout
	// element is the size of an element in bytes. It is set once there are two layouts.
	element int64
}

func newLayouts(rowBytes int64) layouts { return layouts{chain: []layout{{rowBytes: rowBytes}}} }

// present returns the number of the layout of the rows in memory.
func (l *layouts) present() int { return len(l.chain) - 1 }

// rowBytes returns the length of a row of the present layout.
func (l *layouts) rowBytes() int64 { return l.chain[l.present()].rowBytes }

// bytes returns the memory that the places take.
func (l *layouts) bytes() (sum int64) {
	for _, x := range l.chain {
		sum += 4 * int64(len(x.places))
	}
	return sum
}

// narrow appends a layout that keeps some places of the present one.
func (l *layouts) narrow(places []int32, element, rowBytes int64) {
	l.element = element
	last := l.present()
	for i := range l.chain[:last] {
		l.chain[i].places = pick(make([]int32, len(places)), l.chain[i].places, places, 0)
	}
	l.chain[last].places = slices.Clone(places)
	l.chain = append(l.chain, layout{rowBytes: rowBytes})
}

// widen returns to the first layout.
func (l *layouts) widen() { *l = newLayouts(l.chain[0].rowBytes) }

// cut copies elements of src to dst, a row of the present layout. The argument src holds the bytes
// from first on of a row of layout number from. It may begin where dst does if it is a whole row.
func (l *layouts) cut(dst, src []byte, from int, first int64) {
	places := l.chain[from].places
	begin, _ := slices.BinarySearch(places, int32(first/l.element))
	end, _ := slices.BinarySearch(places, int32((first+int64(len(src)))/l.element))
	dst = dst[int64(begin)*l.element : int64(end)*l.element]
	if l.element == 8 {
		pick(mmap.Slice[int64](dst), mmap.Slice[int64](src), places[begin:end], int32(first/8))
	} else {
		pick(mmap.Slice[int32](dst), mmap.Slice[int32](src), places[begin:end], int32(first/4))
	}
}

// pad clears what follows the last element of a row.
func (l *layouts) pad(row []byte, elements int) {
	clear(row[int64(elements)*l.element : l.rowBytes()])
}

// pick sets dst[k] = src[places[k]-first] in ascending order of k, which allows dst and src to
// overlap.
func pick[T any](dst, src []T, places []int32, first int32) []T {
	dst = dst[:len(places)]
	for k, at := range places {
		dst[k] = src[at-first]
	}
	return dst
}
