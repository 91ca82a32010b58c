// Command hubs counts the methods of every type of the module and prints the largest:
//
//	go run ./internal/hubs
//
// Its test holds the numbers. A type with many methods is a hub: whatever happens passes through it, nobody
// can see which of its fields are known at which moment, and each family adds to it.
package main

import (
	"go/ast"
	"slices"
	"strings"

	"bigmkl/internal/sources"
)

// Type is a type with methods.
type Type struct {
	Name    string // folder and name, such as train.Workspace
	Methods int
	// Functions counts those that take the type first, unless they return it or are constructors of what is
	// built on it. A method that became one of them has moved and is not gone.
	Functions int
	Files     int // that declare any of them
}

// Total returns what the ceiling is held against.
func (t *Type) Total() int { return t.Methods + t.Functions }

// Count returns the types of the module in a folder. Tests do not count.
func Count(root string) ([]*Type, error) {
	c := counter{}
	err := sources.Walk(root, func(folder, file string, tree *ast.File) {
		c.add(strings.Replace(folder, ".", "bigmkl", 1), file, tree)
	})
	return c.types(), err
}

// counter holds what was found of each type by its name.
type counter map[string]*found

// found are the names of methods and functions of a type. A file for each processor declares the same ones.
type found struct{ methods, functions, files map[string]bool }

// of returns what was found of a type.
func (c counter) of(name string) *found {
	if c[name] == nil {
		c[name] = &found{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	}
	return c[name]
}

// add counts what a file declares.
func (c counter) add(folder, file string, tree *ast.File) {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if f.Recv != nil {
			t := c.of(folder + "." + sources.NameOf(f.Recv.List[0].Type))
			t.methods[f.Name.Name], t.files[file] = true, true
			continue
		}
		if name := firstOf(f); name != "" && !returns(f, name) && !strings.HasPrefix(strings.ToLower(f.Name.Name), "new") {
			t := c.of(folder + "." + name)
			t.functions[f.Name.Name], t.files[file] = true, true
		}
	}
}

// types returns the types that have a method, the largest first.
func (c counter) types() []*Type {
	var list []*Type
	for name, f := range c {
		if len(f.methods) > 0 {
			list = append(list, &Type{name, len(f.methods), len(f.functions), len(f.files)})
		}
	}
	slices.SortFunc(list, func(a, b *Type) int {
		if a.Total() != b.Total() {
			return b.Total() - a.Total()
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

// firstOf returns the name of the type that a function takes first, except for its context. It is empty
// for types of other packages.
func firstOf(f *ast.FuncDecl) string {
	list := f.Type.Params.List
	if len(list) > 0 {
		if s, ok := list[0].Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Context" {
			list = list[1:]
		}
	}
	if len(list) == 0 {
		return ""
	}
	return sources.NameOf(list[0].Type)
}

// returns reports whether a function returns a type, as one does that makes a value from another.
func returns(f *ast.FuncDecl, name string) bool {
	return f.Type.Results != nil && slices.ContainsFunc(f.Type.Results.List, func(r *ast.Field) bool {
		return sources.NameOf(r.Type) == name
	})
}
