package testlevel

import (
	"fmt"
	"testing"
)

// TestSome: below EveryKind a list is cut to elements that follow each other, and each is there by some key;
// from EveryKind on it is whole. A list of a few is whole from ManyTimes on.
func TestSome(t *testing.T) {
	list := []int{0, 1, 2, 3, 4}
	defer func(share uint64) { Share = share }(Share)
	Share = 1
	t.Setenv("BIGMKL_LONG", "")
	found := map[int]int{}
	for k := range 64 {
		some := Some(t, fmt.Sprint(k), 2, list)
		if len(some) != 2 || some[1] != (some[0]+1)%len(list) {
			t.Fatalf("key %d gives %v", k, some)
		}
		found[some[0]]++
	}
	if len(found) != len(list) {
		t.Errorf("64 keys begin with %v", found)
	}
	if all := Some(t, "", 5, list); len(all) != len(list) {
		t.Errorf("all of them are %v", all)
	}
	t.Setenv("BIGMKL_LONG", "1")
	if all := Some(t, "", 2, list); len(all) != len(list) {
		t.Errorf("at level 1 they are %v", all)
	}
	if few := Few(t, "", 2, list); len(few) != 2 {
		t.Errorf("at level 1 the few are %v", few)
	}
	if Share = 2; len(Some(t, "", 2, list)) != 3 {
		t.Errorf("at level 1 a share of a half is %v", Some(t, "", 2, list))
	}
	t.Setenv("BIGMKL_LONG", "2")
	if all := Few(t, "", 2, list); len(all) != len(list) {
		t.Errorf("at level 2 the few are %v", all)
	}
}
