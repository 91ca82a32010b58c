package letters

import "testing"

// TestRandom: the first numbers are those that rand of the GNU C library gives without a seed.
func TestRandom(t *testing.T) {
	t.Parallel()
	r := newRandom()
	for i, want := range []int{1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335, 719885386} {
		if got := r.next(); got != want {
			t.Errorf("number %d is %d, not %d", i, got, want)
		}
	}
}
