package commandtest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/demo"
)

// Folder is a place for the files of a test.
type Folder struct {
	T    testing.TB
	Path string
}

// NewFolder moves the scratch files of this process to a folder of their own, where files that are left behind are seen.
func NewFolder(t testing.TB) Folder {
	f, scratch := NewFolderAndScratch(t)
	if t, ok := t.(*testing.T); ok {
		t.Setenv("TMPDIR", scratch)
	}
	return f
}

// NewFolderAndScratch is NewFolder for a test that runs beside others. The programs that it starts have scratch for their TMPDIR.
func NewFolderAndScratch(t testing.TB) (f Folder, scratch string) {
	f, scratch = Folder{t, t.TempDir()}, t.TempDir()
	t.Cleanup(func() {
		for _, name := range List(t, scratch) {
			t.Errorf("%s is left in the scratch folder", name)
		}
		for _, name := range List(t, f.Path) {
			if strings.Contains(name, ".tmp") {
				t.Errorf("%s is left behind", name)
			}
		}
	})
	return f, scratch
}

func List(t testing.TB, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (f Folder) At(name string) string { return filepath.Join(f.Path, name) }

func (f Folder) File(name, text string) string {
	f.T.Helper()
	if err := os.WriteFile(f.At(name), []byte(text), 0o644); err != nil {
		f.T.Fatal(err)
	}
	return f.At(name)
}

func (f Folder) Read(name string) string {
	f.T.Helper()
	b, err := os.ReadFile(f.At(name))
	if err != nil {
		f.T.Fatal(err)
	}
	return string(b)
}

func (f Folder) Exists(name string) bool {
	_, err := os.Stat(f.At(name))
	return err == nil
}

// Text is n rows of the generated problem.
func Text(n int, stream uint64) string {
	var b bytes.Buffer
	if err := demo.WriteRows(&b, demo.Rows(n, stream)); err != nil {
		panic(err)
	}
	return b.String()
}

// Trained is a folder with training data, test data and a model.
func Trained(t testing.TB) (f Folder, data, test, model string) {
	t.Helper()
	f = NewFolder(t)
	data, test, model = f.File("train.txt", Text(80, 1)), f.File("test.txt", Text(50, 2)), f.At("m")
	Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "-o", model, data)
	return f, data, test, model
}

func Keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// ProgressRows is the number of rows that are read before the first line of progress.
const ProgressRows = 1 << 14

// WriteArray writes rows of equal length as a .npy file of float64.
func WriteArray(path string, rows [][]float64) error {
	w, err := npy.Create(path, len(rows), len(rows[0]), true)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := w.WriteRow64(row); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Close()
}

func (f Folder) Copy(from, to string) {
	f.T.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		f.T.Fatal(err)
	}
}

// Square writes a matrix and gives its name.
func (f *Folder) Square(name string, e []float64, n int) string {
	f.T.Helper()
	w, err := npy.Create(f.At(name), len(e)/n, n, true)
	if err != nil {
		f.T.Fatal(err)
	}
	for i := range len(e) / n {
		if err := w.WriteRow64(e[i*n : (i+1)*n]); err != nil {
			f.T.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.T.Fatal(err)
	}
	return f.At(name)
}
