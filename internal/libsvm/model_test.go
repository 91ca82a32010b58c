package libsvm

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

const text = `svm_type c_svc
kernel_type polynomial
degree 2
gamma 0.5
coef0 -1
nr_class 3
total_sv 3
rho 0.25 -1 2e-3
label 4 -2 7
probA -1 -2 -3
probB 0 0.5 1
nr_sv 1 0 2
SV
1 0.5 1:0.1 3:-2 
-1 0.25 
0 1e-05 0:1 2:3 
`

// TestRoundTrip: what is read is written as it was.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n"),
		"svm_type one_class\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho 1\nprob_density_marks 0 1 2 3 4 5 6 7 8 9\nSV\n1 1:2 \n",
		"svm_type epsilon_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho -3\nprobA 0.5\nSV\n1 0:7 \n-1 0:16777216 \n",
		"svm_type nu_svc\nkernel_type linear\nnr_class 1\ntotal_sv 0\nrho\nlabel 3\nnr_sv 0\nSV\n"} {
		m, err := Read(strings.NewReader(text), "m")
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(b.String(), "1.6777216e+07", "16777216"); got != strings.ReplaceAll(text, "0.002", "2e-3") && got != strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "2e-3", "0.002") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestRead: numbers of the text are where they belong.
func TestRead(t *testing.T) {
	t.Parallel()
	m, err := Read(strings.NewReader(text), "m")
	if err != nil {
		t.Fatal(err)
	}
	index, value := m.Row(0)
	if !slices.Equal(m.Labels, []int32{4, -2, 7}) || !slices.Equal(m.Coefs[1], []float64{0.5, 0.25, 1e-5}) || !slices.Equal(index, []int32{1, 3}) || value[1] != -2 || m.Kernel.Coef0 != -1 || m.Pairs() != 3 {
		t.Errorf("%+v", m)
	}
}

// TestHostile: each wrong text is an error of class fail.Input with its line, and claims take no memory.
func TestHostile(t *testing.T) {
	t.Parallel()
	for old, other := range map[string]string{
		"svm_type c_svc": "svm_type", "kernel_type polynomial\n": "", "degree 2": "degree -2", "gamma 0.5": "gamma -0.5", "coef0 -1": "coef0 nan",
		"nr_class 3": "nr_class 0", "nr_class 3\n": "nr_class 2000000000\n", "total_sv 3": "total_sv 2000000000", "rho 0.25 -1": "rho 0.25", "label 4 -2": "label 4 7", "label 4": "label x",
		"label 4 -2 7\n": "", "probA -1 ": "probA ", "probB 0 ": "probB ", "nr_sv 1 0 2": "nr_sv 1 1 2", "nr_sv 1 0 2\n": "", "SV\n": "", "1 0.5 1:0.1": "1 1:0.1", "3:-2": "1:-2", "1:0.1": "-1:0.1",
		"1:0.": "1:x", "2:3": "2:1e39", "-1 0.25": "-1", "0 1e-05 0:1 2:3 \n": "", "rho": "rhu", "degree": "prob_density_marks 1 2\ndegree",
	} {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in the text", old)
		}
		m, err := Read(strings.NewReader(strings.Replace(text, old, other, 1)), "m")
		var fault *fail.Error
		if !errors.As(err, &fault) || fault.Class != fail.Input || fault.Line == 0 || fault.File != "m" {
			t.Errorf("%q in place of %q: %v, %+v", other, old, err, m)
		}
	}
	if _, err := Load("no such file"); !errors.Is(err, fail.Input) {
		t.Error(err)
	}
}

// FuzzRead: any text is a model or an error of class fail.Input.
func FuzzRead(f *testing.F) {
	f.Add(text)
	f.Add("svm_type one_class\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 1\nSV\n1 0:2\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(strings.NewReader(text), "m")
		if err != nil {
			if !errors.Is(err, fail.Input) {
				t.Fatal(err)
			}
			return
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b, "again"); err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
	})
}
