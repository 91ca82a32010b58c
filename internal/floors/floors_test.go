// Package floors holds the order of the packages: a test, and nothing that a program could import.
package floors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// module is the path of the module, which begins the import path of each of its packages.
var module = func() string {
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		panic(err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "module "))
}()

// floors lists the packages by floor, from the ground up. A package may import packages of lower
// floors only. So packages of one floor do not depend on each other. "." is the package in the
// root of the module. A package that does not exist yet is ignored, which allows it to be placed
// before it is written; a package that is on no floor fails the test.
var floors = []string{
	// The ground: what needs nothing of the module.
	"internal/fail internal/simd internal/simd/asm internal/game internal/barrier internal/descent internal/conic internal/host " +
		"internal/sources internal/arrows " +
		"internal/bytesize internal/invariant internal/heaptest internal/contexttest internal/pipetest " +
		"internal/testlevel internal/float internal/floors internal/elsewhere internal/release internal/surface",
	"internal/files internal/cholesky internal/hubs internal/exported",
	"internal/atomicfile internal/scratch internal/files/faulty internal/testmain mmap",
	"internal/checkpoint cache internal/probability internal/cluster internal/dataset/datahash internal/dataset/labeltext internal/dataset/holdout",
	"dataset",
	"internal/cluster/mpi internal/dataset/npy internal/datasettest internal/dataset/table internal/dataset/packed " +
		"internal/dataset/parts internal/kernelspec",
	"internal/dataset/arrays internal/dataset/columnar internal/dataset/convert internal/dataset/payload",
	"internal/dataset/columnar/decode internal/dataset/formats internal/dataset/objects",
	// Kernels and models.
	"kernels internal/kernelstest internal/model internal/gating internal/projection internal/libsvm",
	"verify internal/export",
	// The solver.
	"gradient chunking internal/verifytest",
	"internal/toy internal/gradienttest internal/loss chunking/norm",
	"internal/rule",
	// Shapes and families.
	"internal/budget internal/discriminant internal/mixture internal/cluster/shards",
	// Decisions.
	"predict",
	"internal/conformal",
	// Runs.
	"internal/evaluate internal/evaluate/bound internal/serve/answers internal/serve/models internal/serve/metrics " +
		"internal/serve/access",
	"internal/evaluate/score internal/serve/tensors",
	"internal/train",
	"internal/gram internal/serve",
	// The root and the commands.
	".",
	"internal/conformal/calibration internal/selection internal/trial",
	"internal/report",
	"bench/internal/baseline cmd/bigmkl/contract cmd/bigmkl/internal/letters cmd/bigmkl/internal/proposal internal/demo",
	"bench/internal/harness",
	"bench/internal/gonen bench/internal/heldout bench/internal/limits bench/internal/peers bench/internal/ranks " +
		"bench/internal/scaling bench/internal/thesis bench/internal/ye bench/internal/harness/harnesstest",
	"bench/internal/lewis bench/internal/targets",
	"bench",
	"cmd/bigmkl/command",
	"cmd/bigmkl",
	// Tests of several packages together, and what they share.
	"tests/bigmkltest tests/commandtest",
	"tests/bits tests/budgets tests/claims tests/families tests/library tests/mixtures tests/optima tests/resume",
	"tests/command/disks tests/command/exchange tests/command/faults tests/command/hostile tests/command/kills " +
		"tests/command/models tests/command/random tests/command/ranks",
}

// goPackage has the fields of a package in `go list -json`.
type goPackage struct {
	ImportPath string
	Dir        string
	Imports    []string // of the sources that are not tests
}

// TestImportsRunDown fails on a package that imports another of its own floor or of a higher one.
func TestImportsRunDown(t *testing.T) {
	list := exec.Command("go", "list", "-json=ImportPath,Dir,Imports", "./...")
	list.Dir = "../.."
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		// The go command runs this test again only if a file changes that the test itself has opened.
		if _, err := os.ReadDir(p.Dir); err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 20 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	for _, fault := range faults(t, packages) {
		t.Error(fault)
	}
}

// TestAnImportUpIsFound holds the test above to what it claims, with packages that are made up.
func TestAnImportUpIsFound(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     int
	}{
		{"dataset", "mmap", 0},
		{"dataset", "github.com/cespare/xxhash/v2", 0},
		{"internal/train", ".", 1},
		{"mmap", "dataset", 1},
		{"chunking", "gradient", 1},
		{"unheard-of", "mmap", 1},
		{"dataset", "unheard-of", 1},
	} {
		to := c.to
		switch {
		case to == ".":
			to = module
		case !strings.Contains(to, "."):
			to = module + "/" + to
		}
		got := faults(t, []goPackage{{ImportPath: module + "/" + c.from, Imports: []string{to}}})
		if len(got) != c.want {
			t.Errorf("%s imports %s: %q, want %d faults", c.from, c.to, got, c.want)
		}
	}
}

// faults describes every import that does not run down, and every package that is on no floor.
func faults(t *testing.T, packages []goPackage) (found []string) {
	floorOf := map[string]int{}
	for floor, names := range floors {
		for name := range strings.FieldsSeq(names) {
			if _, twice := floorOf[name]; twice {
				t.Errorf("%s is on two floors", name)
			}
			floorOf[name] = floor + 1
		}
	}
	homeless := map[string]bool{}
	for _, p := range packages {
		from, _ := inModule(p.ImportPath)
		if floorOf[from] == 0 {
			homeless[from] = true
		}
		for _, path := range p.Imports {
			to, ours := inModule(path)
			switch {
			case !ours:
			case floorOf[to] == 0:
				homeless[to] = true
			case floorOf[from] != 0 && floorOf[to] >= floorOf[from]:
				found = append(found, fmt.Sprintf("%s (floor %d) imports %s (floor %d)",
					from, floorOf[from], to, floorOf[to]))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(homeless)) {
		found = append(found, name+" is on no floor: give it one in internal/floors")
	}
	return found
}

// inModule returns the name of a package within the module, "." for the root, and whether it
// belongs to the module.
func inModule(path string) (name string, ours bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}
