package fail

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneWayToQuote reads the sources of the library and the command: what quotes a text goes through this package, which cuts it.
func TestOneWayToQuote(t *testing.T) {
	read := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "../../bench" || name == "../../tests" || name == "../../internal/fail" || strings.HasPrefix(d.Name(), ".") && name != "../.."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		read++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Contains(l.Value, "%q") {
				t.Errorf("%s: %%q quotes a text of any length: fail.Quote or fail.Word", set.Position(l.Pos()))
			}
			if s, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "Quote") {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "strconv" {
					t.Errorf("%s: strconv.%s quotes a text of any length: fail.Quote or fail.Word", set.Position(s.Pos()), s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 100 {
		t.Errorf("only %d sources were read", read)
	}
}
