package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Arrow is a pair of files of one package: a function of From calls a function of To.
type Arrow struct{ From, To string }

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// Find returns the arrows of the package that a pattern names, in the order of their names. Tests are left out.
func Find(folder, pattern string) ([]Arrow, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", pattern)
	list.Dir, list.Stderr = folder, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var own *listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(listed)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			own = p
		}
	}
	if own == nil {
		return nil, fmt.Errorf("%s names no package", pattern)
	}
	return arrowsOf(own, exports)
}

// arrowsOf reads a package and returns its arrows. The types of imported packages come from the files that the compiler
// wrote for them.
func arrowsOf(p *listed, exports map[string]string) ([]Arrow, error) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	checked, err := config.Check(p.ImportPath, set, files, info)
	if err != nil {
		return nil, err
	}
	nameOf := func(at token.Pos) string { return filepath.Base(set.Position(at).Filename) }
	found := map[Arrow]bool{}
	for _, file := range files {
		from := nameOf(file.Package)
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if f, is := info.Uses[calledName(call.Fun)].(*types.Func); is && f.Pkg() == checked && !isAbstract(f) {
				if to := nameOf(f.Origin().Pos()); to != from {
					found[Arrow{from, to}] = true
				}
			}
			return true
		})
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b Arrow) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	}), nil
}

// calledName returns the name of the function that a call names, or nil.
func calledName(fun ast.Expr) *ast.Ident {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	case *ast.IndexExpr:
		return calledName(f.X)
	case *ast.IndexListExpr:
		return calledName(f.X)
	}
	return nil
}

// isAbstract reports whether a function is a method of an interface: its code lies wherever a type has it.
func isAbstract(f *types.Func) bool {
	receiver := f.Signature().Recv()
	return receiver != nil && types.IsInterface(receiver.Type())
}
