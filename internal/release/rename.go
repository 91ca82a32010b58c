package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The path of the module is one that no server answers for. Whoever publishes the module gives it a path of
// their own, and all that names a package of it changes along: imports, package names in texts of the code, the
// patches of old faults, and the modules within the tree.

// renameModule gives the module in a folder another path.
func renameModule(ctx context.Context, folder, to string) error {
	from, err := modulePath(folder)
	if err != nil {
		return err
	}
	packages := map[string]bool{}
	var sources, modules []string
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != folder && strings.HasPrefix(d.Name(), ".git"):
			return fs.SkipDir
		case d.Name() == "go.mod":
			modules = append(modules, filepath.Dir(path))
		case strings.HasSuffix(path, ".go"):
			within, err := filepath.Rel(folder, filepath.Dir(path))
			if err != nil {
				return err
			}
			packages[filepath.ToSlash(within)] = true
			sources = append(sources, path)
		case strings.HasSuffix(path, ".patch"):
			sources = append(sources, path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// The command go knows which paths are sound, and goes first.
	for _, m := range modules {
		of, err := modulePath(m)
		if err != nil {
			return err
		}
		if rest, own := strings.CutPrefix(of, from); own {
			if _, err := run(ctx, nil, "go", "-C", m, "mod", "edit", "-module", to+rest); err != nil {
				return err
			}
		}
	}
	quoted := regexp.MustCompile(`"` + regexp.QuoteMeta(from) + `/([^"\s]+)"`)
	for _, path := range sources {
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := quoted.ReplaceAllFunc(old, func(name []byte) []byte {
			within := string(quoted.FindSubmatch(name)[1])
			if !packages[within] {
				return name
			}
			return []byte(`"` + to + "/" + within + `"`)
		})
		if strings.HasSuffix(path, ".go") {
			if text, err = renameRoot(text, from, to); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		if bytes.Equal(text, old) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, text, info.Mode()); err != nil {
			return err
		}
	}
	return nil
}

// renameRoot renames imports of the package in the root, whose path is a word that occurs in other texts too,
// and sorts all imports as gofmt does.
func renameRoot(source []byte, from, to string) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	text := source
	for i := len(parsed.Imports) - 1; i >= 0; i-- {
		path := parsed.Imports[i].Path
		if path.Value == `"`+from+`"` {
			at, end := files.Position(path.Pos()).Offset, files.Position(path.End()).Offset
			text = append(append(bytes.Clone(text[:at]), `"`+to+`"`...), text[end:]...)
		}
	}
	return format.Source(text)
}

// modulePath returns the path of the module in a folder.
func modulePath(folder string) (string, error) {
	b, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if path, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(path), nil
		}
	}
	return "", errors.New(filepath.Join(folder, "go.mod") + " names no module")
}
