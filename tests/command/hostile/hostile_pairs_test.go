package hostile

import (
	"encoding/binary"
	"math"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
	"bigmkl/tests/commandtest"
)

// TestHostilePairs: pairs of rows that no training leaves are rejected by whatever reads a model.
func TestHostilePairs(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("rows", "2 qid:1 1:1\n1 qid:1 1:2\n0 qid:1 1:4\n1 qid:2 1:1\n0 qid:2 1:3\n")
	commandtest.Must(t, "train", "--quiet", "--task", "rank", "--kernels", "gauss:1", "--norm", "2", "-o", f.At("m"), data)
	good := f.Read("m")
	f.File("forged", commandtest.TakeApart(t, good).Build())
	commandtest.Must(t, "verify", f.At("forged"), data)
	row := func(name string, v uint32) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { binary.LittleEndian.PutUint32(m.Body[name], v) }
	}
	beta := func(v float64) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { binary.LittleEndian.PutUint64(m.Body["pair_beta"], math.Float64bits(v)) }
	}
	for name, change := range map[string]func(*commandtest.Forgery){
		"a row beyond": row("pair_above", 5), "a row below": row("pair_below", 1<<31), "a row far beyond": row("pair_below", 1<<30),
		"a row with itself": func(m *commandtest.Forgery) { copy(m.Body["pair_above"][:4], m.Body["pair_below"][:4]) },
		"zero":              beta(0), "negative": beta(-1), "not a number": beta(math.NaN()), "infinite": beta(math.Inf(1)),
		"another task": func(m *commandtest.Forgery) { m.Settings["task"] = "square" },
	} {
		t.Run(name, func(t *testing.T) {
			m := commandtest.TakeApart(t, good)
			change(m)
			bad := f.File("forged", m.Build())
			for _, args := range [][]string{{"inspect", bad}, {"verify", bad, data}} {
				used := heaptest.Allocated(func() {
					commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
				})
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
			}
		})
	}
	for cut := 0; cut < len(good); cut += 1 + len(good)/23 {
		commandtest.Check(t, f, commandtest.Fault{Name: "cut", Args: []string{"inspect", f.File("cut", good[:cut])}, Code: contract.ExitCorrupt, Want: f.At("cut")})
	}
}
