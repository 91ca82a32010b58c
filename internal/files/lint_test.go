package files_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// harmless names what a package may use of those that reach the file system: nothing of it opens, makes, renames or
// removes a file.
var harmless = map[string]*regexp.Regexp{
	"os": regexp.MustCompile(`^(Std(in|out|err)|Args|Exit|Getenv|LookupEnv|Environ|TempDir|Getp(agesize|id)|Getuid|Interrupt|Signal|` +
		`Err\w+|PathError|LinkError|File|FileInfo|FileMode|ModePerm|O_\w+|SameFile|Executable)$`),
	"path/filepath":            regexp.MustCompile(`^(Abs|Base|Clean|Dir|Ext|IsAbs|IsLocal|Join|Rel|Split|Match|Separator)$`),
	"syscall":                  regexp.MustCompile(`^(E[A-Z0-9]+|Errno|SIG[A-Z0-9]+)$`),
	"golang.org/x/sys/unix":    regexp.MustCompile(`^(PROT|MAP|MADV)_\w+|Madvise|Munmap|Nanosleep|Timespec$`),
	"golang.org/x/sys/windows": regexp.MustCompile(`^$`),
	"io/ioutil":                regexp.MustCompile(`^$`),
}

// exceptions are files, or folders of them, that go around package files, and why.
var exceptions = map[string]string{
	"internal/files":         "is the way",
	"internal/host":          "reads what the system says of itself in /proc and /sys, where nothing can be written or run out",
	"internal/pipetest":      "makes pipes for tests",
	"mmap/memory_unix.go":    "maps memory without a file",
	"mmap/memory_windows.go": "maps memory without a file",
	"bench":                  "measures, and is not what is measured",
	"internal/dataset/columnar/decode/limit_linux.go": "bounds the memory of its process",
	"cmd/bigmkl/command/watch_mpi.go":                 "starts a process and waits for it",
	"cmd/bigmkl/command/watch_line.go":                "stands between a process and the one that started it",
	"internal/testlevel":                              "notes which tests ask for a level, and is no part of the program",
	"internal/testmain":                               "makes folders for tests in memory, and is no part of the program",
	"internal/arrows":                                 "reads the sources of the module, and is no part of the program",
	"internal/sources":                                "reads the sources of the module, and is no part of the program",
	"internal/release":                                "makes archives of the program, and is no part of it",
}

// TestOneWayToTheFileSystem reads the sources of the module: what reaches a file system goes through package files, or no
// test could make it fail.
func TestOneWayToTheFileSystem(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	read := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		hidden := strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || name == "tests"
		if d.IsDir() && hidden && path != root {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		read++
		found := reaches(t, path)
		for exception := range exceptions {
			if name == exception || strings.HasPrefix(name, exception+"/") {
				used[exception] = used[exception] || len(found) > 0
				return nil
			}
		}
		for _, f := range found {
			t.Errorf("%s:%s goes around internal/files", name, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 100 {
		t.Errorf("only %d sources were read", read)
	}
	for _, e := range slices.Sorted(maps.Keys(exceptions)) {
		if !used[e] {
			t.Errorf("%s needs no exception", e)
		}
	}
}

// reaches lists "line: package.Name" for what in a source may reach a file system.
func reaches(t *testing.T, path string) (found []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]string{} // by the name it has in the source
	for _, i := range file.Imports {
		from, _ := strconv.Unquote(i.Path.Value)
		if harmless[from] == nil {
			continue
		}
		name := filepath.Base(from)
		if i.Name != nil {
			name = i.Name.Name
		}
		if name == "." {
			found = append(found, "1: import of all of "+from)
		}
		imported[name] = from
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok {
			if from := imported[x.Name]; from != "" && !harmless[from].MatchString(s.Sel.Name) {
				found = append(found, strconv.Itoa(set.Position(s.Pos()).Line)+": "+from+"."+s.Sel.Name)
			}
		}
		return true
	})
	return found
}
