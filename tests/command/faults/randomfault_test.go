package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestRandomFaults: many operations fail in one run. The removal of files may fail, too, so files may be left behind.
func TestRandomFaults(t *testing.T) {
	f, args, _ := spilling(t)
	commandtest.Must(t, args...)
	want := f.Read("m")
	codes := map[int]int{}
	for i := range uint64(testlevel.Repeats(24, 150)) {
		seed := testlevel.Seed + i
		for _, name := range append(commandtest.List(t, os.TempDir()), "m", "theta") {
			os.RemoveAll(filepath.Join(os.TempDir(), name))
			os.Remove(f.At(name))
		}
		fault := faulty.Faults[i%uint64(len(faulty.Faults))]
		fault.Lasting = false
		restore := files.Inject(faulty.Random(fault, 0.02, seed))
		o := commandtest.Try(args...)
		restore()
		codes[o.Code]++
		if o.Code != contract.ExitFine && o.Code != contract.ExitInput && o.Code != contract.ExitBudget || strings.Contains(o.Stderr, "a bug") {
			t.Errorf("seed %d, %s: exit code %d, %s", seed, fault.Name, o.Code, o.Stderr)
		}
		if f.Exists("m") && f.Read("m") != want || o.Code == contract.ExitFine && !f.Exists("m") {
			t.Errorf("seed %d, %s: another model", seed, fault.Name)
		}
	}
	t.Logf("exit codes %v", codes)
	for _, name := range commandtest.List(t, f.Path) {
		if strings.Contains(name, ".tmp") {
			os.Remove(f.At(name))
		}
	}
	for _, name := range commandtest.List(t, os.TempDir()) {
		os.RemoveAll(filepath.Join(os.TempDir(), name))
	}
}

// TestFlippedModel: no byte of a model can change unnoticed, be it as it is read or in the file, which predict maps.
func TestFlippedModel(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	good := f.Read("m")
	size := int64(len(good))
	stride := int64(97)
	if testlevel.Reached(testlevel.ManyTimes) {
		stride = 13
	}
	for k := int64(0); k < size; k += stride {
		flip := faulty.NewFlip(model, k)
		restore := files.Inject(flip)
		o := commandtest.Try("train", "--init", model, "-o", f.At("out"), data)
		restore()
		if !flip.Done() || o.Code != contract.ExitCorrupt || !strings.HasPrefix(o.Stderr, "bigmkl: "+model+": ") || strings.Count(o.Stderr, "\n") != 1 || f.Exists("out") {
			t.Errorf("byte %d of %d: exit code %d, %s", k, size, o.Code, o.Stderr)
		}
		bad := []byte(good)
		bad[k] ^= 0x10
		flipped := f.File("flipped", string(bad))
		o = commandtest.Try("predict", flipped, test, "-o", f.At("out"))
		if o.Code != contract.ExitCorrupt || !strings.HasPrefix(o.Stderr, "bigmkl: "+flipped+": ") || strings.Count(o.Stderr, "\n") != 1 || f.Exists("out") {
			t.Errorf("byte %d of %d in the file: exit code %d, %s", k, size, o.Code, o.Stderr)
		}
	}
}

// rot changes a byte of every so many blocks that the row cache reads back.
type rot struct {
	every int64
	n     atomic.Int64
}

func (r *rot) Before(files.Op) error { return nil }

func (r *rot) Read(op files.Op, p []byte) {
	if !strings.Contains(op.Path, "bigmkl-cache-") {
		return
	}
	if n := r.n.Add(1); n%r.every == 0 {
		p[n%int64(len(p))] ^= 1
	}
}

// TestFlippedRows: rows that come back damaged from disk are counted and computed again, and change no bit of the model.
func TestFlippedRows(t *testing.T) {
	f, args, _ := spilling(t)
	commandtest.Must(t, args...)
	want := f.Read("m")
	for _, every := range []int64{1, 7, 30} {
		restore := files.Inject(&rot{every: every})
		got := commandtest.Object(t, contract.ExitFine, args...)
		restore()
		damaged := got["cache"].(map[string]any)["damaged"].(float64)
		if warnings := fmt.Sprint(got["warnings"]); damaged == 0 || !strings.Contains(warnings, "damaged") {
			t.Errorf("every %d. block changed, %v rows damaged, warnings %s", every, damaged, warnings)
		}
		if f.Read("m") != want {
			t.Errorf("every %d. block changed: another model", every)
		}
	}
}
