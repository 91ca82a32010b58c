// Package sources reads the Go files of the module, for programs and tests that count what they declare.
package sources

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Walk calls visit for every Go file below root, tests apart, with its folder relative to root, in slashes. It leaves out
// data of tests, hidden folders, modules of their own, and folders whose names are given.
func Walk(root string, visit func(folder, file string, tree *ast.File), without ...string) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && leavesOut(file, d.Name(), without):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err == nil {
			visit(filepath.ToSlash(folder), file, tree)
		}
		return err
	})
}

// leavesOut reports whether a folder is left out.
func leavesOut(folder, name string, without []string) bool {
	for _, other := range without {
		if name == other {
			return true
		}
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil || name == "testdata" || strings.HasPrefix(name, ".")
}

// NameOf returns the name of a type of the same package, of what a pointer points to, or of a type with parameters. It
// is empty for any other.
func NameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return NameOf(e.X)
	case *ast.IndexExpr:
		return NameOf(e.X)
	case *ast.IndexListExpr:
		return NameOf(e.X)
	}
	return ""
}
