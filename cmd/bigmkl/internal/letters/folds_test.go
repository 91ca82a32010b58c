package letters

import (
	"slices"
	"testing"
)

// TestFolds: folds of classes have the same share of each, and every row is in one fold, also where there are more folds than rows of a class.
func TestFolds(t *testing.T) {
	t.Parallel()
	p := &problem{}
	for i := range 23 {
		p.target = append(p.target, float64(i%4/3))
	}
	for _, folds := range []int{2, 5, 10, 23} {
		for _, stratified := range []bool{true, false} {
			var all []int32
			for f, rows := range drawFolds(p, folds, stratified, newRandom()) {
				ones := 0
				for _, i := range rows {
					ones += int(p.target[i])
				}
				if stratified && folds < 23 && (ones < 5/folds || ones > 5/folds+1) {
					t.Errorf("fold %d of %d has %d rows of 5", f, folds, ones)
				}
				all = append(all, rows...)
			}
			if slices.Sort(all); !slices.Equal(all, p.all()) {
				t.Errorf("%d folds have the rows %v", folds, all)
			}
		}
	}
}

// TestClasses: labels come in the order of their rows, except for +1 and -1.
func TestClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target []float64
		want   []int32
	}{{[]float64{-1, 1, -1}, []int32{1, -1}}, {[]float64{1, -1}, []int32{1, -1}}, {[]float64{-1, 1, 3}, []int32{-1, 1, 3}}, {[]float64{7.9, 2, 7}, []int32{7, 2}}, {[]float64{1e300, -1e300}, []int32{1<<31 - 1, -1 << 31}}} {
		p := &problem{target: c.target}
		if got := groupClasses(p, p.all()).labels; !slices.Equal(got, c.want) {
			t.Errorf("%v: labels %v", c.target, got)
		}
	}
	at := 0
	pairs(5, func(pair, i, j int) {
		if pair != at || pairOf(5, i, j) != at {
			t.Errorf("pair %d, %d has the number %d", i, j, pairOf(5, i, j))
		}
		at++
	})
}
