package shards

import (
	"encoding/binary"
	"math"
	"slices"

	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// A frame is the number of an operation, that of the gradients it is for, and its arguments in the
// order in which they are written here and read there. Numbers are in the byte order of the
// computers, which has to be the same on all of them, as their instruction set has.

// writer makes a frame.
type writer struct{ frame []byte }

func (w *writer) number(x int) { w.frame = binary.NativeEndian.AppendUint64(w.frame, uint64(x)) }

func (w *writer) flag(x bool) {
	if x {
		w.number(1)
	} else {
		w.number(0)
	}
}

func (w *writer) real(x float64) { w.number(int(math.Float64bits(x))) }

// bytes writes a list of bytes, of which nil is another one than an empty one.
func (w *writer) bytes(list []byte, isNil bool) {
	if isNil {
		w.number(-1)
		return
	}
	w.number(len(list))
	w.frame = append(w.frame, list...)
	// What follows is aligned to its size.
	w.frame = append(w.frame, make([]byte, -len(list)&7)...)
}

func (w *writer) reals(list []float64)  { w.bytes(mmap.Bytes(list), list == nil) }
func (w *writer) integers(list []int32) { w.bytes(mmap.Bytes(list), list == nil) }
func (w *writer) text(s string)         { w.bytes([]byte(s), false) }

func (w *writer) points(list []int) {
	var short []int32
	if list != nil {
		short = make([]int32, len(list))
	}
	for k, i := range list {
		short[k] = int32(i)
	}
	w.integers(short)
}

// state writes a state of gradients.
func (w *writer) state(s *gradient.State) {
	w.flag(s.Double)
	w.flag(s.Hollow)
	w.integers(s.Active)
	w.number(len(s.Sleepers))
	for _, l := range s.Sleepers {
		w.integers(l.Index)
		w.reals(l.Alpha)
	}
	w.reals(s.Sum)
	w.flag(s.Pending != nil)
	if p := s.Pending; p != nil {
		w.bytes(p.Done, false)
		w.reals(p.Sums)
		w.reals(p.Combined)
	}
}

// reader reads a frame. It keeps the first fault and gives zeros after it.
type reader struct {
	frame []byte
	err   error
}

func (r *reader) number() int {
	if len(r.frame) < 8 {
		r.fault()
		return 0
	}
	x := binary.NativeEndian.Uint64(r.frame)
	r.frame = r.frame[8:]
	return int(x)
}

func (r *reader) fault() {
	if r.err == nil {
		r.err = fail.New(fail.Corrupt, "rank 0 sent a frame that is cut short")
	}
	r.frame = nil
}

func (r *reader) flag() bool    { return r.number() != 0 }
func (r *reader) real() float64 { return math.Float64frombits(uint64(r.number())) }

func (r *reader) bytes() []byte {
	count := r.number()
	if count < 0 {
		return nil
	}
	if padded := count + -count&7; padded > len(r.frame) || padded < count {
		r.fault()
		return nil
	}
	list := r.frame[:count:count]
	r.frame = r.frame[count+-count&7:]
	return list
}

// reals copies the numbers: the frame they come in is larger than they are.
func (r *reader) reals() []float64 {
	list := r.bytes()
	if list == nil {
		return nil
	}
	return append(make([]float64, 0, len(list)/8), mmap.Slice[float64](list)...)
}

func (r *reader) integers() []int32 {
	list := r.bytes()
	if list == nil {
		return nil
	}
	return append(make([]int32, 0, len(list)/4), mmap.Slice[int32](list)...)
}

func (r *reader) text() string { return string(r.bytes()) }

func (r *reader) points() []int {
	short := r.integers()
	if short == nil {
		return nil
	}
	list := make([]int, len(short))
	for k, i := range short {
		list[k] = int(i)
	}
	return list
}

func (r *reader) state() *gradient.State {
	s := &gradient.State{Double: r.flag(), Hollow: r.flag(), Active: r.integers()}
	for range r.number() {
		if r.err != nil {
			break
		}
		s.Sleepers = append(s.Sleepers, gradient.Sleeper{Index: r.integers(), Alpha: r.reals()})
	}
	s.Sum = r.reals()
	if r.flag() {
		s.Pending = &gradient.Pending{
			Done: slices.Clone(r.bytes()), Sums: r.reals(), Combined: r.reals(),
		}
	}
	return s
}
