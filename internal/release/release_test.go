//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bigmkl/internal/testlevel"
)

// TestRelease makes a release of a small program.
func TestRelease(t *testing.T) {
	small := product{"./internal/release/testdata/program", func(ctx context.Context, program, folder string) error {
		_, err := run(ctx, nil, program, "manuals", folder)
		return err
	}, false}
	root := releaseHere(t, small, "github.com/spf13/cobra")
	checkProgram(t, root, []string{"demo"}, []string{"completion", "zsh"})
}

// TestReleaseOfTheCommand makes a release of the command. To build it without cgo, most packages are compiled once more.
func TestReleaseOfTheCommand(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	testlevel.Sample(t, 1, 4) // It compiles the program with all that it needs once more.
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	root := releaseHere(t, bigmkl(false), "github.com/cespare/xxhash/v2", "github.com/spf13/cobra", "github.com/pelletier/go-toml/v2")
	told, fault := exec.Command(filepath.Join(root, "bigmkl"), "version").Output()
	version, err2 := readVersion()
	if commit := strings.TrimSpace(string(out)); fault != nil || err2 != nil || !strings.HasPrefix(string(told), "bigmkl "+version+"\n") || err == nil && !strings.Contains(string(told), commit) {
		t.Errorf("%v, %v: %s, not version %s of %s", fault, err2, told, version, commit)
	}
	checkProgram(t, root, []string{"demo", "--quiet"}, []string{"version"}, []string{"help", "train"}, []string{"completion", "zsh"})
}

// releaseHere makes a release for this computer. Its checksums are right, its bill of materials names the modules as they are in go.mod, and
// the archive, whose folder it returns, has the program and all that goes with it.
func releaseHere(t *testing.T, of product, modules ...string) string {
	t.Chdir("../..")
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	out := filepath.Join(t.TempDir(), "dist")
	host := runtime.GOOS + "/" + runtime.GOARCH
	if err := makeRelease(t.Context(), out, []string{host}, of); err != nil {
		t.Fatal(err)
	}
	names := checkSums(t, out)
	var archive, bill string
	for _, name := range names {
		switch {
		case strings.HasSuffix(name, ".tar.gz"):
			archive = name
		case strings.HasSuffix(name, ".cdx.json"):
			bill = name
		}
	}
	if want := strings.ReplaceAll(host, "/", "_") + ".tar.gz"; !strings.HasSuffix(archive, want) || bill == "" {
		t.Fatalf("%q has no %s", names, want)
	}
	checkBill(t, filepath.Join(out, bill), modules)
	root := t.TempDir()
	list := unpack(t, filepath.Join(out, archive), root)
	for _, name := range []string{"bigmkl", "LICENSE", "NOTICES", "README.md", "man/bigmkl.1", "man/bigmkl-train.1", "completions/bigmkl.bash", "completions/bigmkl.powershell"} {
		if !slices.Contains(list, name) {
			t.Errorf("%s is not among %q", name, list)
		}
	}
	checkNotices(t, filepath.Join(root, "NOTICES"), modules)
	return root
}

// checkNotices looks for the terms of Go and of modules.
func checkNotices(t *testing.T, path string, modules []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(modules, "Go "+strings.TrimPrefix(runtime.Version(), "go")) {
		_, rest, ok := strings.Cut(string(text), "\n"+name)
		if heading, _, _ := strings.Cut(rest, "\n"); !ok || !strings.Contains(strings.ToUpper(heading), ": LICENSE") || len(rest) < 500 {
			t.Errorf("%s has no terms", name)
		}
	}
}

// TestWriteNotices: a program has a list of its linked modules, and a text has none.
func TestWriteNotices(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeNotices(t.Context(), &b, program); err != nil || !strings.Contains(b.String(), "\nGo "+strings.TrimPrefix(runtime.Version(), "go")+": LICENSE\n") {
		t.Errorf("%v, %.200q", err, b.String())
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := writeNotices(t.Context(), &b, text); err == nil || b.Len() > 0 {
		t.Errorf("of a text: %v, %q", err, b.String())
	}
}

// TestNoTerms: what has no terms cannot be passed on.
func TestNoTerms(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"main.go", "license_test.go", "NOTICEBOARD", "licences.md5sums"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := addTerms(&b, "it", folder); err == nil || b.Len() > 0 {
		t.Errorf("%v, %q", err, b.String())
	}
	for i, name := range []string{"LICENSE", "LICENCE.md", "COPYING", "Notice.txt", "LICENSE-APACHE", "PATENTS"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("terms "+name), 0o644); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := addTerms(&b, "it", folder); err != nil || strings.Count(b.String(), "terms ") != i+1 || !strings.Contains(b.String(), "it: "+name+"\n\nterms "+name+"\n") {
			t.Errorf("%v, %q", err, b.String())
		}
	}
}

// checkSums returns the files of a release but that of the checksums, which it compares.
func checkSums(t *testing.T, out string) (names []string) {
	text, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		b, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(b)) != sum {
			t.Errorf("%s: %v, or another checksum", name, err)
		}
		names = append(names, name)
	}
	files, err := os.ReadDir(out)
	if err != nil || len(files) != len(names)+1 {
		t.Errorf("%d files, %d checksums, %v", len(files), len(names), err)
	}
	return names
}

// checkBill holds a bill of materials to its format, and looks for modules that the program imports.
func checkBill(t *testing.T, path string, modules []string) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var bill bom
	if err := json.Unmarshal(b, &bill); err != nil || bill.Format != "CycloneDX" || bill.Spec != "1.5" || bill.Metadata.Timestamp != "2001-09-09T01:46:40Z" {
		t.Fatalf("%v: %.300s", err, b)
	}
	urls := map[string]bool{}
	for _, c := range bill.Components {
		if c.Type != "library" || c.Version == "" || urls[c.URL] || c.Name != "std" && len(c.Properties) == 0 {
			t.Errorf("component %+v", c)
		}
		urls[c.URL] = true
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range modules {
		_, rest, found := strings.Cut(string(mod), name+" ")
		if version := strings.Fields(rest)[0]; !found || !urls["pkg:golang/"+name+"@"+version] {
			t.Errorf("%s@%s is not among %q", name, version, slices.Sorted(maps.Keys(urls)))
		}
	}
}

// unpack writes the files of an archive below a folder and lists them.
func unpack(t *testing.T, path, to string) (names []string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		b, err := io.ReadAll(r)
		if err != nil || !filepath.IsLocal(name) || h.ModTime.Unix() != 1000000000 || h.Uid != 0 {
			t.Fatalf("%s: %v, %+v", name, err, h)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), b, h.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
}

// checkProgram runs the program of a release in an empty root, as a user without rights. It passes its demonstration without
// other files.
func checkProgram(t *testing.T, root string, lines ...[]string) {
	if os.Getuid() != 0 || runtime.GOOS != "linux" {
		t.Log("not root on Linux: the program is not run in an empty root")
		return
	}
	program, empty := filepath.Join(root, "bigmkl"), t.TempDir()
	if err := errors.Join(os.Rename(program, filepath.Join(empty, "bigmkl")), os.Chmod(empty, 0o755), os.Mkdir(filepath.Join(empty, "tmp"), 0o777), os.Chmod(filepath.Join(empty, "tmp"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, args := range lines {
		c := exec.Command("/bigmkl", args...)
		c.SysProcAttr, c.Env, c.Dir = inEmptyRoot(empty), []string{}, "/"
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%q in an empty root: %v\n%s", args, err, out)
		}
		if args[0] == "demo" && !strings.Contains(string(out), "recomputed from the data, and the model file agrees") {
			t.Errorf("the demonstration in an empty root:\n%s", out)
		}
	}
}

// inEmptyRoot makes a folder the root of a process, and takes its rights.
func inEmptyRoot(folder string) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Chroot: folder, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
}

// TestReleasesAreReproducible makes two releases, from two clones in folders of their own, and compares their bytes.
func TestReleasesAreReproducible(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var sums [2]string
	for i := range sums {
		sources, out := filepath.Join(t.TempDir(), fmt.Sprint("sources", i)), filepath.Join(t.TempDir(), "dist")
		if _, err := run(t.Context(), nil, "git", "clone", "-q", root, sources); err != nil {
			t.Skip(err)
		}
		// What pip makes depends on the Python that is installed.
		if err := os.RemoveAll(filepath.Join(sources, "python")); err != nil {
			t.Fatal(err)
		}
		t.Chdir(sources)
		if err := makeRelease(t.Context(), out, []string{"linux/amd64", "darwin/arm64", "windows/amd64"}, bigmkl(true)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = string(b)
	}
	if sums[0] != sums[1] || !strings.Contains(sums[0], ".zip\n") {
		t.Errorf("two releases of the same sources:\n%s\n%s", sums[0], sums[1])
	}
}

// TestDockerfile: the image has the program of a release, and nobody's rights.
func TestDockerfile(t *testing.T) {
	b, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(mod), "\ngo ")
	release := strings.Join(strings.Split(strings.Fields(rest)[0], ".")[:2], ".")
	for _, want := range []string{"FROM golang:" + release + " ", "CGO_ENABLED=0", "-trimpath -buildvcs=auto -ldflags=\"-s -w\"", "./cmd/bigmkl", "\nFROM scratch\n", "\nUSER 65532:65532\n", "ENTRYPOINT [\"/bigmkl\"]"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the Dockerfile has no %q", want)
		}
	}
}
