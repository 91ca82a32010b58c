package verify_test

import (
	"slices"
	"testing"

	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
)

// trial is a model that is wrong in one way.
type trial struct {
	wrong
	model *model.Model
}

// trials alters each model in each way, and returns by model what a run tries. Of the models that a way
// alters that is one in so many, beginning with one that the seed draws, and one alone below EveryKind: so
// each way is tried at every level, with models of every sort in turn. alter reports whether a way alters a model. It is an
// error if a way that is in needed alters none.
func trials(t testing.TB, models []honest, ways, needed []wrong, alter func(h honest, m *model.Model, w wrong) bool) [][]trial {
	t.Helper()
	t.Logf("BIGMKL_SEED=%d", testlevel.Seed)
	stride := testlevel.Stride(len(models), 3)
	list := make([][]trial, len(models))
	for k, w := range ways {
		var altered []trial
		var of []int
		for i, h := range models {
			if m := copied(t, h.model); alter(h, m, w) {
				altered, of = append(altered, trial{w, m}), append(of, i)
			}
		}
		if len(of) == 0 {
			if slices.ContainsFunc(needed, func(n wrong) bool { return n.name == w.name }) {
				t.Errorf("%s: no model could be altered", w.name)
			}
			continue
		}
		first := (testlevel.Seed + uint64(k)) % uint64(min(stride, len(of)))
		for at := int(first); at < len(of); at += stride {
			list[of[at]] = append(list[of[at]], altered[at])
		}
	}
	return list
}
