// Command elsewhere checks the types of all packages of the module, their tests among them, as another system or
// processor compiles them:
//
//	go run ./internal/elsewhere darwin/arm64 windows/amd64
//
// It reads everything from source and generates no code. It takes a tenth of the time of go vet with another
// GOOS, which compiles every dependency for its export data. What vet looks for beyond types does not depend on the
// system, except for a few files.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	failed := false
	for _, target := range os.Args[1:] {
		faults, err := Check(".", target)
		if err != nil {
			faults = append(faults, err)
		}
		for _, fault := range faults {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, fault)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// source is a package as go list describes it.
type source struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string // by the path in the source
	Standard   bool
	Module     *struct{ Main bool }
	Error      *struct{ Err string }
}

// own reports whether the package is one of the module.
func (s *source) own() bool { return s.Module != nil && s.Module.Main }

// Check returns the faults of the packages of the module in a folder, for a target such as darwin/arm64. An error
// comes from the go command.
func Check(folder, target string) ([]error, error) {
	system, processor, found := strings.Cut(target, "/")
	if !found {
		return nil, errors.New("name a system and a processor, such as darwin/arm64")
	}
	list := exec.Command("go", "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module,Error", "./...")
	list.Dir, list.Stderr = folder, os.Stderr
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	c := &checker{sizes: types.SizesFor("gc", processor), checked: map[string]*types.Package{"unsafe": types.Unsafe}, files: token.NewFileSet()}
	if c.sizes == nil {
		return nil, fmt.Errorf("%s is no processor", processor)
	}
	var faults []error
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		s := new(source)
		if err := d.Decode(s); errors.Is(err, io.EOF) {
			return faults, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		faults = append(faults, c.check(s)...)
	}
}

// checker checks packages in an order in which each comes behind what it imports.
type checker struct {
	sizes   types.Sizes
	checked map[string]*types.Package
	files   *token.FileSet
}

// check checks a package, and returns the faults of one of the module. Of others the functions have no bodies, which
// is all that importing needs.
func (c *checker) check(s *source) (faults []error) {
	fault := func(err error) {
		if s.own() {
			faults = append(faults, err)
		}
	}
	if s.Error != nil {
		fault(errors.New(s.Error.Err))
	}
	if s.ImportPath == "unsafe" || strings.HasSuffix(s.ImportPath, ".test") {
		return faults // a main package that go test writes
	}
	var parsed []*ast.File
	for _, name := range s.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(s.Dir, name)
		}
		f, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			fault(err)
			continue
		}
		parsed = append(parsed, f)
	}
	config := types.Config{
		Sizes: c.sizes, IgnoreFuncBodies: !s.own(), Error: fault, GoVersion: build.Default.ReleaseTags[len(build.Default.ReleaseTags)-1],
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped := s.ImportMap[path]; mapped != "" {
				path = mapped
			}
			if p := c.checked[path]; p != nil {
				return p, nil
			}
			return nil, fmt.Errorf("no package %s", path)
		}),
	}
	path, _, _ := strings.Cut(s.ImportPath, " ") // A variant for tests has the name of its test behind it.
	p, _ := config.Check(path, c.files, parsed, nil)
	c.checked[s.ImportPath] = p
	return faults
}

// importer finds packages by their paths.
type importer func(path string) (*types.Package, error)

// Import implements types.Importer.
func (f importer) Import(path string) (*types.Package, error) { return f(path) }
