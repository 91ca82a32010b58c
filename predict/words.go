package predict

import (
	"fmt"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// wordSlots is the number of bits of the table of known words. Words that share a bit count as
// known: a warning may be missing, and none is wrong.
const wordSlots = 1 << 24

// Words are the words of letters that the training of a model had. A row that has none of them is 0 under
// every string kernel, and its decision is one constant.
type Words struct {
	letters dataset.Alphabet
	length  int // length is the length of the shortest words that a kernel compares.
	known   []uint64
}

// WatchedWords counts rows to predict that have no word in common with the training.
type WatchedWords struct {
	dataset.Source
	*Words
	rows    int
	unknown int
}

// NewWords returns the words of the support vectors of a model, or nil where no kernel is one of strings.
func NewWords(m *model.Model) *Words {
	if m.Sequences == dataset.Numbers || len(m.Support) == 0 {
		return nil
	}
	b, err := m.Bank()
	if err != nil { // The prediction meets it, too, and reports this.
		return nil
	}
	s := &Words{letters: m.Sequences, length: shortestWord(b)}
	if s.length == 0 {
		return nil
	}
	s.known = make([]uint64, wordSlots/64)
	some := false
	err = m.Guard(func() error {
		for k := range m.Support {
			w := s.cut()
			m.Each(k, func(j int, x float32) {
				if word, ok := w.next(j, x); ok {
					s.known[word/64] |= 1 << (word % 64)
					some = true
				}
			})
		}
		return nil
	})
	if err != nil || !some { // The model does not compare rows with sequences.
		return nil
	}
	return s
}

// Watch returns a source that compares the letters of the rows of another one. It is nil for nil.
func (s *Words) Watch(src dataset.Source) *WatchedWords {
	if s == nil {
		return nil
	}
	return &WatchedWords{Source: src, Words: s}
}

// Unknown returns the number of rows without a known word until now.
func (s *WatchedWords) Unknown() int { return s.unknown }

// Warning returns a warning of rows without a known word, or "". The source may be nil.
func (s *WatchedWords) Warning() string {
	if s == nil || s.unknown == 0 {
		return ""
	}
	what, upper := "letter", ""
	if s.length > 1 {
		what = fmt.Sprintf("word of %d letters", s.length)
	}
	if s.letters.Letters() == dataset.Bytes {
		upper = "; upper and lower case are different letters"
	}
	return fmt.Sprintf("%d of %d rows have no %s that the training had, so that string kernels tell nothing of them%s",
		s.unknown, s.rows, what, upper)
}

// shortestWord returns the length of the shortest words that the kernels compare, or 0 if none is of
// strings. A weighted degree kernel compares words from one letter on. Where mismatches are counted,
// a word may have a few letters alone in common with another.
func shortestWord(b *kernelspec.Bank) int {
	least := 0
	see := func(k *kernelspec.Kernel) {
		n := 1
		if k.Kind == kernelspec.Spectrum && k.Mismatches == 0 {
			n = k.Degree
		}
		if k.Kind.OfStrings() && (least == 0 || n < least) {
			least = n
		}
	}
	for i := range b.Kernels {
		see(&b.Kernels[i])
	}
	for _, factors := range b.Products {
		for i := range factors {
			see(&factors[i].Kernel)
		}
	}
	return least
}

// Next returns the next row.
func (s *WatchedWords) Next() (dataset.Row, error) {
	r, err := s.Source.Next()
	if err != nil || len(r.Index) != len(r.Value) {
		return r, err // Others reject a row of odd lengths.
	}
	s.rows++
	w := s.cut()
	for i, j := range r.Index {
		if word, ok := w.next(int(j), float32(r.Value[i])); ok && s.known[word/64]>>(word%64)&1 == 1 {
			return r, nil
		}
	}
	s.unknown++
	return r, nil
}

// words cuts one sequence into words.
type words struct {
	letters      dataset.Alphabet
	length, bits int // bits is the number of bits of a letter.
	before       int // before is the number of features before the letters.
	last         int // last is the feature of the last letter.
	run          int // run is the number of letters side by side until there.
	word         uint64
}

func (s *Words) cut() *words {
	return &words{letters: s.letters.Letters(), length: s.length, bits: s.letters.Planes(),
		before: s.letters.Before(), last: -1}
}

// next takes the next letter of the sequence, and returns the place of the word that it ends.
func (w *words) next(feature int, x float32) (place uint64, ok bool) {
	code := w.letters.Code(x)
	if feature < w.before || code == 0 { // A letter of another alphabet equals nothing.
		w.run = 0
		return 0, false
	}
	if feature != w.last+1 {
		w.run = 0
	}
	w.last = feature
	w.run++
	w.word = w.word<<w.bits | uint64(code-1)
	if w.run < w.length {
		return 0, false
	}
	all := w.length * w.bits
	word := w.word
	if all < 64 {
		word &= 1<<all - 1
	}
	if all <= 24 {
		return word, true
	}
	return word * 0x9e3779b97f4a7c15 >> 40, true
}
