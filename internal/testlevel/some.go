package testlevel

import (
	"fmt"
	"hash/fnv"
	"sync"
	"testing"
)

// named has the tests that have named the seed.
var named sync.Map

// Some returns the whole list from EveryKind on, or a Share of it while the level is below ManyTimes. Below EveryKind it
// returns n elements that follow each other in the circle of the list, from one that the seed and the key draw. It names the
// seed. The key separates the lists of one test.
func Some[T any](t testing.TB, key string, n int, list []T) []T {
	t.Helper()
	return cut(t, key, n, list, EveryKind)
}

// Few returns n elements as Some does, up to ManyTimes: for tests whose cases take many seconds each.
func Few[T any](t testing.TB, key string, n int, list []T) []T {
	t.Helper()
	return cut(t, key, n, list, ManyTimes)
}

// cut returns n elements of a list below a level.
func cut[T any](t testing.TB, key string, n int, list []T, below int) []T {
	t.Helper()
	if Reached(below) && !Reached(ManyTimes) {
		n, below = max(n, (len(list)+int(Share)-1)/int(Share)), ManyTimes
	}
	if Reached(ManyTimes) || n >= len(list) {
		return list
	}
	h := fnv.New64a()
	h.Write([]byte(t.Name() + "\x00" + key))
	from := int(spread(h.Sum64()) % uint64(len(list)))
	nameSeed(t, fmt.Sprint("while BIGMKL_LONG is below ", below))
	some := make([]T, n)
	for i := range some {
		some[i] = list[(from+i)%len(list)]
	}
	return some
}

// nameSeed names the seed once in a test.
func nameSeed(t testing.TB, until string) {
	t.Helper()
	if _, done := named.LoadOrStore(t, true); !done {
		t.Cleanup(func() { named.Delete(t) })
		t.Logf("BIGMKL_SEED=%d draws some of each list %s", Seed, until)
	}
}
