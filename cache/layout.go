package cache

import (
	"slices"

	"bigmkl/mmap"
)

// layout is one way to cut the rows: the first holds every element, each later one some of those of the layout before.
type layout struct {
	rowBytes int64
	places   []int32 // where the elements of a present row are in a row of this layout; nil for the present layout
}

// layouts are those from the first to the present one.
type layouts struct {
	chain   []layout
	element int64 // bytes, once there are two
}

func newLayouts(rowBytes int64) layouts { return layouts{chain: []layout{{rowBytes: rowBytes}}} }

// present is the number of the layout of rows in memory.
func (l *layouts) present() int { return len(l.chain) - 1 }

// rowBytes is the length of a present row.
func (l *layouts) rowBytes() int64 { return l.chain[l.present()].rowBytes }

// bytes is the memory of the places.
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

// widen goes back to the first layout.
func (l *layouts) widen() { *l = newLayouts(l.chain[0].rowBytes) }

// cut copies to dst, a present row, what it has of src, the bytes from first on of a row of layout number from. src may be
// the beginning of dst if it is a whole row.
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

// pad clears what a present row has after its last element.
func (l *layouts) pad(row []byte, elements int) { clear(row[int64(elements)*l.element : l.rowBytes()]) }

// pick sets dst_k = src[places_k - first], in ascending order of k.
func pick[T any](dst, src []T, places []int32, first int32) []T {
	dst = dst[:len(places)]
	for k, at := range places {
		dst[k] = src[at-first]
	}
	return dst
}
