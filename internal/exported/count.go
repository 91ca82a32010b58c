package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// count returns the number of exported names of every package below root. Programs have none. Packages below
// internal, and the tests of several packages below tests, are left out: no other module imports them.
func count(root string) (map[string]int, error) {
	counts := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			hidden := strings.HasPrefix(name, ".") && path != root
			if hidden || name == "internal" || name == "testdata" || name == "tests" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		if file.Name.Name != "main" {
			counts[filepath.ToSlash(folder)] += countFile(file)
		}
		return nil
	})
	return counts, err
}

// countFile returns the number of exported names that a file declares.
func countFile(file *ast.File) (names int) {
	one := func(id *ast.Ident) {
		if id.IsExported() {
			names++
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || receiver(d.Recv.List[0].Type).IsExported() {
				one(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					one(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						one(id)
					}
				}
			}
		}
	}
	return names
}

// receiver returns the name of the type of a method, without its pointer and its parameters.
func receiver(t ast.Expr) *ast.Ident {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x
		default:
			return ast.NewIdent("_")
		}
	}
}
