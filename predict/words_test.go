package predict

import (
	"fmt"
	"testing"

	"bigmkl/dataset"
)

// TestWords: words end where a letter is missing, and of two words none has the other's place while they fit the table.
func TestWords(t *testing.T) {
	t.Parallel()
	cut := func(alphabet dataset.Alphabet, length int, text string) (places []uint64) {
		index, value, err := alphabet.Letters().Sequence([]byte(text), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := Words{letters: alphabet, length: length}
		w := s.cut()
		for k, j := range index {
			if place, ok := w.next(int(j)+alphabet.Before(), float32(value[k])); ok {
				places = append(places, place)
			}
		}
		return places
	}
	for _, c := range []struct {
		text   string
		length int
		want   string
	}{
		{"ACGT", 1, "[0 1 2 3]"}, {"acgu", 2, "[1 6 11]"}, {"ACNGT", 2, "[1 11]"}, {"ACG", 4, "[]"}, {"NNN", 1, "[]"}, {"TACGTAC", 5, fmt.Sprint([]int{3<<8 | 1<<4 | 2<<2 | 3, 1<<6 | 2<<4 | 3<<2, 1<<8 | 2<<6 | 3<<4 | 1})},
	} {
		for _, alphabet := range []dataset.Alphabet{dataset.DNA, "dna@6"} {
			if got := fmt.Sprint(cut(alphabet, c.length, c.text)); got != c.want {
				t.Errorf("%s in words of %d: %s and not %s", c.text, c.length, got, c.want)
			}
		}
	}
	for length := 1; length <= 8; length++ {
		a, b := cut(dataset.Bytes, length, "ABCDEFGH"), cut(dataset.Bytes, length, "xxABCDEFGHx")
		for k, place := range a {
			if place != b[k+2] || place >= wordSlots {
				t.Errorf("word %d of %d letters has places %d and %d", k, length, place, b[k+2])
			}
		}
	}
}
