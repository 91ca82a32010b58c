package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// spilling is a training that reads every kind of file and spills rows to disk: with the least memory that does, and
// as much more as that takes.
func spilling(t *testing.T) (f commandtest.Folder, args, inputs []string) {
	t.Helper()
	f = commandtest.NewFolder(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(commandtest.Text(120, 2)))
	z.Close()
	weights := f.File("weights", strings.Repeat("1\n2\n", 90))
	inputs = []string{f.File("train-1", commandtest.Text(60, 1)), f.File("train-2.gz", packed.String()), weights, f.File("views", "ring 1 10\nall 1 30\n"),
		f.File("kernels", "gauss:0.05\nlaplace:0.1@ring\nlinear\ngauss:0.5@4+5\n"), f.File("test", commandtest.Text(20, 3))}
	args = []string{"train", "--quiet", "--json", "--threads", "2", "--cache", "always", "--disk", "256MiB", "--gap", "1e-2", "--row-weights", weights,
		"--views", inputs[3], "--kernels", "@" + inputs[4], "--test", inputs[5], "-o", f.At("m"), "--theta-out", f.At("theta"), inputs[0], inputs[1]}
	tight := func(memory int) []string { return append(slices.Clone(args), "--memory", strconv.Itoa(memory)) }
	if spillingMemory > 0 {
		return f, tight(spillingMemory), inputs
	}
	step := 256 << 10
	for memory := 8 << 20; memory < 64<<20; memory += step {
		o := commandtest.Try(tight(memory)...)
		switch {
		case o.Code == contract.ExitBudget:
			continue
		case o.Code != contract.ExitFine:
			t.Fatalf("exit code %d, %s", o.Code, o.Stderr)
		case step > 32<<10: // the first that does: from here on in small steps
			memory, step = memory-step, 32<<10
			continue
		}
		if cached := commandtest.Decode(t, o.Stdout)["cache"].(map[string]any); cached["disk_hits"].(float64) > 30 {
			spillingMemory = memory
			return f, tight(memory), inputs
		}
	}
	t.Fatal("no budget makes rows spill and come back")
	return
}

// spillingMemory is the memory that spilling has found, which is the same each time.
var spillingMemory int

func TestTrainUnderEveryFault(t *testing.T) {
	f, args, inputs := spilling(t)
	everyFault(t, trial{Folder: f, run: func() commandtest.Outcome { return commandtest.Try(args...) }, inputs: inputs, outputs: []string{"m", "theta"}})
}

func TestOtherCommandsUnderEveryFault(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	commandtest.Must(t, "gram", "--quiet", "--kernels", "gauss:0.05", "-o", f.At("K"), data)
	commandtest.Must(t, "gram", "--quiet", "--kernels", "gauss:0.05", "--precision", "64", "-o", f.At("K64"), data)
	commandtest.Must(t, "train", "--quiet", "--kernels", "precomputed:"+f.At("K"), "-o", f.At("m2"), data)
	d := commandtest.NewRows(6, 40, 3)
	y, array, sparse, table := f.File("y.npy", d.Words()), f.File("x.npy", d.Columns(0, 3, true)), f.File("s.npz", commandtest.Archive(d.Sparse())),
		f.File("d.csv", d.Csv(",", nil))
	sets, ids := f.At("m3"), f.File("ids.csv", "id,x\na,1\nb,2\n")
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05", "--conformal", "split:0.4", "-o", sets, data)
	var events, bounds strings.Builder
	for i := range 40 {
		fmt.Fprintf(&events, "%d%s 1:%d 2:%d\n", 1+i%7, [2]string{"", "+"}[i/3%2], i%5, i%11)
		fmt.Fprintf(&bounds, "%s%d 1:%d 2:%d\n", [3]string{"", "..", "0.5.."}[i%3], 1+i%7, i%5, i%11)
	}
	late, between := f.File("late", events.String()), f.File("between", bounds.String())
	commandtest.Must(t, "train", "--quiet", "--task", "survival", "--kernels", "gauss:0.05", "--conformal", "folds:2", "-o", f.At("times"), late)
	drugs, targets, pairs := commandtest.Pairs(t, f, 40, 8)
	objects := []string{"--quiet", "--objects", drugs, "--objects", targets, "--kernels", "gauss:1@drug,prod(gauss:1@drug,linear@target)"}
	commandtest.Must(t, append(append([]string{"train", "-o", f.At("named")}, objects...), pairs)...)
	options := f.File("run.toml", "kernels = 'linear'\n")
	trials := map[string]struct{ args, outputs []string }{
		"array":             {[]string{"train", "--quiet", "--kernels", "linear", "--labels", y, "-o", f.At("out"), array}, []string{"out"}},
		"sparse array":      {[]string{"train", "--quiet", "--kernels", "linear", "-o", f.At("out"), sparse}, []string{"out"}},
		"table":             {[]string{"train", "--quiet", "--kernels", "linear", "-o", f.At("out"), table}, []string{"out"}},
		"convert":           {[]string{"convert", "--quiet", "-o", f.At("out.npz"), table}, []string{"out.npz"}},
		"convert, join":     {[]string{"convert", "--join", "1", "-o", f.At("out.csv"), "view=" + ids, ids}, []string{"out.csv"}},
		"predict":           {[]string{"predict", model, test, "-o", f.At("out")}, []string{"out"}},
		"predict, JSON":     {[]string{"predict", "--json", model, test}, nil},
		"verify":            {[]string{"verify", model, data}, nil},
		"verify, matrix":    {[]string{"verify", f.At("m2"), data, "--gram", f.At("K")}, nil},
		"inspect":           {[]string{"inspect", "--all", model}, nil},
		"bound":             {[]string{"bound", model, model}, nil},
		"export":            {[]string{"export", "-o", f.At("out.json"), model}, []string{"out.json"}},
		"export, ONNX":      {[]string{"export", "-o", f.At("out.onnx"), model}, []string{"out.onnx"}},
		"config":            {[]string{"config", "--of", model}, nil},
		"options":           {[]string{"train", "--quiet", "--config", options, "-o", f.At("out"), data}, []string{"out"}},
		"gram":              {[]string{"gram", "--quiet", "--kernels", "gauss:0.05,linear", "-o", f.At("out%d"), data}, []string{"out1", "out2"}},
		"align":             {[]string{"align", "--quiet", "--kernels", "gauss:0.05,precomputed:" + f.At("K"), "--sample", "9", "-o", f.At("out"), data}, []string{"out"}},
		"split":             {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear", "--conformal", "split:0.4,by-class", "-o", f.At("out"), data}, []string{"out"}},
		"folds":             {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear", "--conformal", "folds:2", "-o", f.At("out"), data}, []string{"out"}},
		"coverage":          {[]string{"predict", "--coverage", "0.9", sets, test, "-o", f.At("out")}, []string{"out"}},
		"curves":            {[]string{"predict", "--survival-at", "0.5,2", f.At("times"), late, "-o", f.At("out")}, []string{"out"}},
		"residuals":         {[]string{"train", "--quiet", "--task", "survival", "--kernels", "gauss:0.05,linear", "--conformal", "folds:2", "-o", f.At("out"), late}, []string{"out"}},
		"bounds of times":   {[]string{"train", "--quiet", "--task", "survival", "--kernels", "gauss:0.05,linear", "-o", f.At("out"), between}, []string{"out"}},
		"verify, split":     {[]string{"verify", sets, data}, nil},
		"report, split":     {[]string{"report", "--quiet", "--test", test, "-o", f.At("out"), sets}, []string{"out"}},
		"warm start":        {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear", "--init", model, "-o", f.At("out"), data}, []string{"out"}},
		"discriminant":      {[]string{"train", "--quiet", "--task", "rkda", "--lambda", "joint", "--kernels", "gauss:0.05,linear", "-o", f.At("out"), data}, []string{"out"}},
		"mixture":           {[]string{"train", "--quiet", "--task", "med", "--restarts", "2", "--limit", "24", "-C", "1", "--kernels", "gauss:0.05,linear", "-o", f.At("out"), data}, []string{"out"}},
		"likelihood":        {[]string{"train", "--quiet", "--task", "mixture", "--restarts", "2", "--gap", "1e-2", "--kernels", "gauss:0.05,linear", "-o", f.At("out"), data}, []string{"out"}},
		"gates":             {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2", "-o", f.At("out"), data}, []string{"out"}},
		"landmark gates":    {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*5", "--gate-tol", "0.2", "-o", f.At("out"), data}, []string{"out"}},
		"single, gates":     {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2", "--multiclass", "single", "-o", f.At("out"), data}, []string{"out"}},
		"projections":       {[]string{"train", "--quiet", "--scale", "standard", "--kernels", "proj(gauss:0.05,2),linear", "--gate-tol", "0.2", "-o", f.At("out"), data}, []string{"out"}},
		"centred":           {[]string{"train", "--quiet", "--kernels", "gauss:0.05 norm=centred,linear norm=centred", "-o", f.At("out"), data}, []string{"out"}},
		"single classifier": {[]string{"train", "--quiet", "--kernels", "gauss:0.05,linear", "--multiclass", "single", "-o", f.At("out"), data}, []string{"out"}},
		"objects":           {append(append([]string{"train", "-o", f.At("out")}, objects...), pairs), []string{"out"}},
		"new objects":       {[]string{"predict", "--quiet", "--objects", drugs, "-o", f.At("out"), f.At("named"), f.File("names", "0 t_1\n")}, []string{"out"}},
		"verify, objects":   {[]string{"verify", "--quiet", "--objects", drugs, "--objects", targets, f.At("named"), pairs}, nil},
		"matrix":            {[]string{"train", "--quiet", "--kernels", "precomputed:" + f.At("K64"), "-o", f.At("out"), data}, []string{"out"}},
	}
	ofCommand := map[string]struck{}
	for _, name := range inDrawnOrder(t, trials) {
		c := trials[name]
		command := c.args[0]
		if ofCommand[command] == nil {
			ofCommand[command] = struck{}
		}
		t.Run(name, func(t *testing.T) {
			everyFault(t, trial{
				Folder: f, run: func() commandtest.Outcome { return commandtest.Try(c.args...) }, stdout: command != "train",
				inputs: []string{options, ids, y, array, sparse, table, data, test, model, f.At("m2"), sets, f.At("K"), f.At("K64"), late, between, f.At("times"), f.At("drugs.npy"), f.At("targets.csv"), pairs, f.At("named"), f.At("names")}, outputs: c.outputs,
				struck: ofCommand[command], cheap: command != "train",
			})
		})
	}
}
