package exchange

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestRealDataInAllFormats trains on real rows in every format that convert writes. The models have the same bytes. The model of a
// table with a header differs in the names of columns alone.
func TestRealDataInAllFormats(t *testing.T) {
	sameInAllFormats(t, "sonar/sonar.libsvm.gz", "--kernels", "linear,gauss:auto/3")
	sameInAllFormats(t, "wine/wine.libsvm.gz", "--multiclass", "ovr", "--kernels", "gauss:auto/3")
}

// TestKddcupInAllFormats does so with all 494,020 rows of kddcup99, of which three iterations are trained.
func TestKddcupInAllFormats(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes)
	sameInAllFormats(t, "kddcup99/kddcup99.libsvm.gz", "--positive", "18", "--kernels", "linear,gauss:0.1", "--gap", "0.2", "--max-iter", "3")
}

// sameInAllFormats trains on a file of real data in all formats, unscaled and standardised.
func sameInAllFormats(t *testing.T, path string, options ...string) {
	t.Helper()
	asChild(t)
	in, f := filepath.Join(commandtest.DataFolder(t), path), commandtest.NewFolder(t)
	if _, err := os.Stat(in); err != nil {
		t.Skip(err)
	}
	packed, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	plain := f.File("d.libsvm", string(text))
	data := map[string][]string{"gzip": {in}}
	for _, format := range []string{"csv", "npz", "pack"} {
		data[format] = []string{f.At("d." + format)}
		commandtest.Must(t, "convert", "--quiet", "-o", f.At("d."+format), plain)
	}
	_, rows, _ := strings.Cut(f.Read("d.csv"), "\n")
	data["csv without a header"] = []string{f.File("bare.csv", rows), "--label", "1"}
	header, fields := typedTable(f.Read("d.csv"))
	data["parquet"] = []string{f.File("d.parquet", parquetOf(t, header, fields))}
	data["arrow"] = []string{f.File("d.arrow", arrowOf(t, true, 1000, header, fields))}
	data["arrows"] = []string{f.File("d.arrows", arrowOf(t, false, 50, header, fields, ipc.WithZstd()))}
	for _, scale := range []string{"none", "standard"} {
		train := func(name string, args ...string) {
			t.Helper()
			if o := commandtest.Try(append(append([]string{"train", "--quiet", "--scale", scale, "-o", f.At("m")}, options...), args...)...); o.Code != contract.ExitFine && o.Code != contract.ExitStopped {
				t.Fatalf("%s, %s, scale %s: exit code %d, %s", path, name, scale, o.Code, o.Stderr)
			}
		}
		train("libsvm", plain)
		want := f.Read("m")
		for name, args := range data {
			train(name, args...)
			got := f.Read("m")
			if slices.Contains([]string{"csv", "parquet", "arrow", "arrows"}, name) {
				got = withoutColumns(t, f.At("m"))
			}
			if got != want {
				t.Errorf("%s as %s, scale %s: the model has other bytes", path, name, scale)
			}
			if o := commandtest.Try(append([]string{"verify", "--quiet", f.At("m")}, args...)...); o.Code != contract.ExitFine {
				t.Errorf("%s as %s, scale %s: verify ends with exit code %d: %s", path, name, scale, o.Code, o.Stderr)
			}
		}
	}
}

// typedTable returns a table of labels and numbers as rows, with the kinds of columns in its header. The names of its columns are in
// the order of their bytes, as the writer of Parquet puts them.
func typedTable(text string) (header []string, rows [][]string) {
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ",")
		if header != nil {
			rows = append(rows, fields)
			continue
		}
		header = append(header, "label")
		for k := range fields[1:] {
			header = append(header, fmt.Sprintf("x%05d:double", k))
		}
	}
	return header, rows
}
