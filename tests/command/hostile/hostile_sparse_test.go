package hostile

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
	"bigmkl/tests/commandtest"
)

// TestHostileSparseModels: models of sparse points with a right checksum whose support vectors cannot be are rejected by whatever reads
// one, in one line and before memory is taken for what they claim. The number of features, which nothing in such a file confirms, is
// compared with the budget.
func TestHostileSparseModels(t *testing.T) {
	f, data, _, path := commandtest.Trained(t)
	commandtest.Must(t, "train", "--quiet", "--store", "sparse", "--kernels", "gauss:0.05,linear", "--normalize", "none", "-o", path, data)
	good := f.Read("m")
	f.File("forged", commandtest.TakeApart(t, good).Build())
	commandtest.Must(t, "verify", f.At("forged"), data)
	number := func(name string, i int, v int64) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) {
			b := m.Body[name]
			if i < 0 {
				i += len(b) / map[string]int{"I64": 8, "I32": 4}[m.Dtype[name]]
			}
			if m.Dtype[name] == "I64" {
				binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
			} else {
				binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
			}
		}
	}
	commands := func(bad string) [][]string {
		return [][]string{{"inspect", bad}, {"bound", bad}, {"export", "--to", "json", "-o", f.At("out"), bad}, {"predict", bad, data, "-o", f.At("out")}, {"verify", bad, data},
			{"train", "--quiet", "-o", f.At("new"), "--init", bad, data}}
	}
	for name, change := range map[string]func(*commandtest.Forgery){
		"starts go back": number("vector_start", 1, 1<<20), "starts below 0": number("vector_start", 1, -1), "starts at the minimum": number("vector_start", 1, math.MinInt64),
		"first start": number("vector_start", 0, 1), "last start": number("vector_start", -1, math.MaxInt64), "one start too few": func(m *commandtest.Forgery) { m.Zeros("vector_start", 3) },
		"index beyond": number("vector_index", 0, math.MaxInt32), "index below 0": number("vector_index", 0, -1), "index twice": number("vector_index", 1, 0),
		"no values": func(m *commandtest.Forgery) { m.Zeros("vector_value", 0) }, "zeros": func(m *commandtest.Forgery) { m.Zeros("vector_value", m.Shape["vector_value"][0]) },
		"claimed":          func(m *commandtest.Forgery) { m.Shape["vector_index"] = []int64{1 << 60} },
		"no starts":        func(m *commandtest.Forgery) { m.Drop("vector_start") },
		"a dense store":    func(m *commandtest.Forgery) { m.Settings["store"] = "dense" },
		"features too few": func(m *commandtest.Forgery) { m.Settings["features"] = 1 },
		"value not finite": number("vector_value", 0, int64(math.Float32bits(float32(math.Inf(1))))),
	} {
		t.Run(name, func(t *testing.T) {
			m := commandtest.TakeApart(t, good)
			change(m)
			bad := f.File("forged", m.Build())
			for _, args := range commands(bad) {
				used := heaptest.Allocated(func() {
					commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
				})
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
			}
		})
	}
	for _, kernels := range [][]string{{"gauss:0.05", "linear"}, {"gauss:0.05@random:2000000*500", "linear"}, {"gauss:0.05@1-400000000", "linear@2-500000000"}} {
		m := commandtest.TakeApart(t, good)
		m.Settings["features"], m.Settings["kernels"] = math.MaxInt32, kernels
		if strings.Contains(kernels[0], "random") {
			m.Zeros("theta", 501)
			m.Zeros("w_norms", 501)
		}
		bad := f.File("forged", m.Build())
		for _, args := range [][]string{{"predict", "--memory", "200MiB", bad, data, "-o", f.At("out")}, {"verify", "--memory", "200MiB", bad, data}} {
			used := heaptest.Allocated(func() {
				if o := commandtest.Try(args...); o.Code != contract.ExitBudget || strings.Count(o.Stderr, "\n") != 1 || !strings.Contains(o.Stderr, "--memory") {
					t.Errorf("%v, %s: exit code %d, %s", kernels, args[0], o.Code, o.Stderr)
				}
			})
			if used > 64<<20 {
				t.Errorf("%v: %s allocates %d MiB", kernels, args[0], used>>20)
			}
		}
	}
}
