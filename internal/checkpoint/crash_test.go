package checkpoint

import (
	"errors"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
)

// writeSome writes checkpoints until something fails, and returns the number of the last that was promised to be safe.
func writeSome(path string) (promised int, err error) {
	promised = -1
	f, err := Open(path)
	if err != nil {
		return promised, err
	}
	defer f.Close()
	for n := range 3 {
		if err := f.Write(counted(n)); err != nil {
			return promised, err
		}
		promised = n
	}
	return promised, nil
}

// TestCrash cuts the power at every operation: what was promised to be safe is there, or what came after it.
func TestCrash(t *testing.T) {
	for i := 0; ; i++ {
		down := false
		for _, after := range []faulty.After{{}, {Names: true}, {Names: true, Keep: 1}, {Keep: 1}, {Names: true, Keep: 0.5, Seed: uint64(i)}} {
			path := t.TempDir()
			disk := faulty.NewDisk(t, path, i)
			restore := files.Inject(disk)
			promised, _ := writeSome(path)
			restore()
			down = disk.Down()
			disk.Crash(after)
			f := open(t, path)
			last, damaged, err := f.Last()
			switch {
			case err != nil && (promised >= 0 || !errors.Is(err, fail.Corrupt)):
				t.Fatalf("operation %d, %+v: checkpoint %d was promised: %v", i, after, promised, err)
			case last == nil && promised >= 0:
				t.Fatalf("operation %d, %+v: checkpoint %d was promised, there is none", i, after, promised)
			case last != nil:
				last.Close()
				if n, _ := number(t, f); n < promised {
					t.Fatalf("operation %d, %+v: checkpoint %d, promised was %d; %v", i, after, n, promised, damaged)
				}
			}
			if err := f.Write(counted(9)); err != nil {
				t.Fatal(err)
			}
			if n, damaged := number(t, f); n != 9 || damaged != nil {
				t.Fatalf("operation %d: checkpoint %d after the crash, %v", i, n, damaged)
			}
			f.Close()
		}
		if !down {
			t.Logf("%d operations", i)
			return
		}
	}
}

// TestEveryFault fails every operation in every way: it is reported, and the checkpoint before is still there.
func TestEveryFault(t *testing.T) {
	for _, fault := range faulty.Faults {
		t.Run(fault.Name, func(t *testing.T) {
			for i := 0; ; i++ {
				path := t.TempDir()
				strike := faulty.At(i, fault)
				restore := files.Inject(strike)
				promised, err := writeSome(path)
				restore()
				struck := strike.Struck()
				if len(struck) == 0 {
					if err != nil || promised != 2 {
						t.Fatal(promised, err)
					}
					t.Logf("%d operations", i)
					return
				}
				if err == nil && !harmless(struck) {
					t.Errorf("%v was not reported", struck)
				}
				if err != nil && !errors.Is(err, fail.Budget) {
					t.Errorf("%v is %v, of another class", struck, err)
				}
				f := open(t, path)
				if last, damaged, err := f.Last(); err != nil || damaged != nil || (last == nil && promised >= 0) {
					t.Errorf("%v: %v, %v; %d was promised", struck, damaged, err, promised)
				} else if last != nil {
					last.Close()
					if n, _ := number(t, f); n < promised {
						t.Errorf("%v: checkpoint %d, promised was %d", struck, n, promised)
					}
				}
				f.Close()
			}
		})
	}
}

// harmless reports operations whose failure changes nothing: to look up a name, to close a file that was read.
func harmless(struck []files.Op) bool {
	for _, op := range struck {
		switch op.Kind {
		case files.OpStat, files.OpClose, files.OpOpen, files.OpRemove:
		default:
			return false
		}
	}
	return true
}
