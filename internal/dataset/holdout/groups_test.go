package holdout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOfGroups: rows of a group are in one fold, folds have about as many rows as any other, and the seed decides.
func TestOfGroups(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	names := make([]string, 300)
	for i := range names {
		names[i] = fmt.Sprint(rng.IntN(60))
	}
	of := OfGroups(names, 5, 3)
	at, size := map[string]int32{}, make([]int, 5)
	for i, k := range of {
		if known, ok := at[names[i]]; ok && known != k {
			t.Fatalf("group %s is in the folds %d and %d", names[i], known, k)
		}
		at[names[i]] = k
		size[k]++
	}
	if slices.Min(size) < 55 || slices.Max(size) > 65 {
		t.Errorf("folds of %d rows", size)
	}
	if !slices.Equal(of, OfGroups(names, 5, 3)) || slices.Equal(of, OfGroups(names, 5, 4)) {
		t.Error("the seed does not decide")
	}
}
