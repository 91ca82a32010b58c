package main

import (
	"go/ast"

	"bigmkl/internal/sources"
)

// count returns the number of exported names of every package below root. Programs have none. Packages below
// internal, and the tests of several packages below tests, are left out: no other module imports them.
func count(root string) (map[string]int, error) {
	counts := map[string]int{}
	err := sources.Walk(root, func(folder, _ string, tree *ast.File) {
		if tree.Name.Name != "main" {
			counts[folder] += countFile(tree)
		}
	}, "internal", "tests")
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
			if d.Recv == nil || ast.IsExported(sources.NameOf(d.Recv.List[0].Type)) {
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
