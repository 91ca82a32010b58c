package hostile

import (
	"encoding/binary"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestHostileQuantiles: several quantiles that no training leaves are rejected by whatever reads a model.
func TestHostileQuantiles(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("rows", commandtest.Grouped(60, 3, "svr"))
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "--task", "quantile", "--tau", "0.1,0.5,0.9", "-o", f.At("m"), data)
	good := f.Read("m")
	f.File("forged", commandtest.TakeApart(t, good).Build())
	commandtest.Must(t, "verify", f.At("forged"), data)
	set := func(key string, v any) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { m.Settings[key] = v }
	}
	integer := func(i int, v uint32) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { binary.LittleEndian.PutUint32(m.Body["machine_classes"][4*i:], v) }
	}
	for name, change := range map[string]func(*commandtest.Forgery){
		"none": func(m *commandtest.Forgery) { delete(m.Settings, "taus") }, "empty": set("taus", []float64{}), "fewer": set("taus", []float64{0.1, 0.9}),
		"more": set("taus", []float64{0.1, 0.5, 0.8, 0.9}), "not ascending": set("taus", []float64{0.1, 0.9, 0.5}), "twice": set("taus", []float64{0.1, 0.1, 0.9}),
		"zero": set("taus", []float64{0, 0.5, 0.9}), "one": set("taus", []float64{0.1, 0.5, 1}), "below": set("taus", []float64{-1, 0.5, 0.9}), "text": set("taus", "0.1,0.5,0.9"),
		"very many": set("taus", make([]float64, 1<<20)), "one tau besides": set("tau", 0.5), "another task": set("task", "svr"), "classes": set("classes", []string{"a", "b", "c"}),
		"classifiers": set("multiclass", "ovr"), "one model": func(m *commandtest.Forgery) { delete(m.Settings, "multiclass") }, "a kind that is none": set("multiclass", "quantile"),
		"a positive class": set("positive", "a"), "another regressor": integer(0, 1), "against a class": integer(1, 0), "a regressor beyond": integer(4, 1<<30),
	} {
		t.Run(name, func(t *testing.T) {
			m := commandtest.TakeApart(t, good)
			change(m)
			bad := f.File("forged", m.Build())
			for _, args := range testlevel.Some(t, "", 2, [][]string{
				{"inspect", bad}, {"predict", "--no-crossing", bad, data, "-o", f.At("out")}, {"verify", bad, data}, {"report", bad, "-o", f.At("out")}, {"config", "--of", bad}, {"serve", bad},
				{"export", "--to", "onnx", "-o", f.At("out"), bad}, {"bound", bad},
			}) {
				used := heaptest.Allocated(func() {
					commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
				})
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
			}
		})
	}
}

// TestTruncatedQuantiles: a model of several quantiles that was cut at any byte is damaged.
func TestTruncatedQuantiles(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("rows", commandtest.Grouped(40, 3, "svr"))
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "--task", "quantile", "--tau", "0.2,0.8", "-o", f.At("m"), data)
	good := f.Read("m")
	for cut := 0; cut < len(good); cut += 1 + len(good)/23 {
		bad := f.File("cut", good[:cut])
		commandtest.Check(t, f, commandtest.Fault{Name: "cut", Args: []string{"inspect", bad}, Code: contract.ExitCorrupt, Want: bad})
	}
}
