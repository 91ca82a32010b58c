package serve

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
)

// calibrated writes the model of some rows, with calibration scores, to a file.
func calibrated(t testing.TB, path string, rows []dataset.Row, o bigmkl.Options, c calibration.Options) {
	t.Helper()
	o.Kernels = "linear,gauss:0.1"
	m, _, err := calibration.Train(t.Context(), datasettest.Stream(rows), o, c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	if err := m.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
}

// TestCoverage: intervals and sets of answers equal the results of package conformal, for every kind of model; a request without a coverage has none.
func TestCoverage(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 7)
	targets := datasettest.Clouds(rng, 90, 4)
	for i := range targets {
		targets[i].Target = float64(i%7) + .25
	}
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
		how  calibration.Options
	}{
		"regression":  {targets, bigmkl.Options{Task: model.TaskSVR}, calibration.Options{}},
		"two classes": {datasettest.Clouds(rng, 90, 4), bigmkl.Options{}, calibration.Options{Folds: 3}},
		"by class":    {datasettest.Clusters(rng, 120, 4, 3, false), bigmkl.Options{Multiclass: model.OneVsRest}, calibration.Options{Share: .5, ByClass: true}},
		"pairs":       {datasettest.Clusters(rng, 90, 4, 3, false), bigmkl.Options{Multiclass: model.OneVsOne}, calibration.Options{Share: .4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "m")
			calibrated(t, path, c.rows, c.o, c.how)
			s := open(t, path, generous())
			body := asJSON(c.rows, only(s).Input().Features(), true)
			m, err := bigmkl.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			// The largest coverage has no bound.
			for _, coverage := range []float64{.5, .8, .9999} {
				r, err := conformal.New(&m.Model, coverage)
				if err != nil {
					t.Fatal(err)
				}
				w := postQuery(s, fmt.Sprintf("a=b&coverage=%g", coverage), kindJSON, "", body)
				got := decode(t, w.Body.Bytes())
				if w.Code != 200 || got.Coverage != coverage || len(got.Thresholds) != len(r.Thresholds()) || (got.Thresholds[0] != nil) != r.Bounded() {
					t.Fatalf("code %d, %.300s", w.Code, w.Body)
				}
				k := 0
				if err := m.Predict(t.Context(), datasettest.Stream(c.rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
					q := got.Predictions[k]
					k++
					if r.Classes() == nil {
						low, high := r.Interval(&p)
						if !is(q.Low, low) || !is(q.High, high) || q.Set != nil {
							t.Errorf("row %d: %+v, want %g to %g", k, q, low, high)
						}
						return nil
					}
					var want []string
					for _, c := range r.Set(&p, nil) {
						want = append(want, r.Classes()[c])
					}
					if !slices.Equal(q.Set, want) || q.Set == nil || q.Low != nil {
						t.Errorf("row %d: %q, want %q", k, q.Set, want)
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			if text := post(s, kindJSON, "", body).Body.String(); strings.Contains(text, `"set"`) || strings.Contains(text, `"low"`) || strings.Contains(text, `"coverage"`) {
				t.Errorf("regions that were not asked for: %.300s", text)
			}
		})
	}
}

// is compares a number of an answer, in which what is infinite is null.
func is(got *float64, want float64) bool {
	if math.IsInf(want, 0) {
		return got == nil
	}
	return got != nil && *got == want
}

// TestCoverageFaults: an invalid coverage is a fault of the request, and so are models without scores and arrays.
func TestCoverageFaults(t *testing.T) {
	t.Parallel()
	plain, _ := start(t, generous())
	path := filepath.Join(t.TempDir(), "m")
	calibrated(t, path, datasettest.Clouds(datasettest.Random(t, 9), 90, 6), bigmkl.Options{}, calibration.Options{})
	s := open(t, path, generous())
	body := []byte(`{"rows":[[1,1,1,1,1,1]]}`)
	array := npy.FormatMatrix(1, 6)
	for range 6 {
		array = appendFloat(array, .5)
	}
	for query, want := range map[string]string{
		"coverage=0.9": "", "coverage=1e-320": "", "coverage=0.99999999999999994": "", "coverage=.5": "", "Coverage=7": "",
		"coverage": `coverage "" is not a number`, "coverage=": `coverage ""`, "coverage=0": `coverage "0"`, "coverage=1": `coverage "1"`, "coverage=-0.5": "coverage", "coverage=NaN": "coverage", "coverage=inf": "coverage",
		"coverage=90%25": `"90%"`, "coverage=0.9%00": "coverage", "coverage=1e-400": "coverage", "coverage=0.9&coverage=0.9": "2 coverages", "coverage=0.9;x": "cannot be read", "%zz": "cannot be read",
		"coverage=" + strings.Repeat("9", 5000): "coverage",
	} {
		r := postQuery(s, query, kindJSON, "", body)
		if want == "" {
			if r.Code != 200 {
				t.Errorf("%.50s: code %d, %s", query, r.Code, r.Body)
			}
			continue
		}
		if got := decode(t, r.Body.Bytes()); r.Code != 400 || !strings.Contains(got.Message, want) || len(got.Message) > 300 {
			t.Errorf("%.50s: code %d, %.300s, want %s", query, r.Code, r.Body, want)
		}
	}
	if r := postQuery(plain, "coverage=0.9", kindJSON, "", body); r.Code != 400 || !strings.Contains(r.Body.String(), "the model has no calibration scores") {
		t.Errorf("code %d, %s", r.Code, r.Body)
	}
	if r := postQuery(s, "coverage=0.9", kindNpy, kindNpy, array); r.Code != 400 || !strings.Contains(r.Body.String(), "an array has no room") {
		t.Errorf("code %d, %s", r.Code, r.Body)
	}
	if r := postQuery(s, "coverage=0.9", kindNpy, "", array); r.Code != 200 || !strings.Contains(r.Body.String(), `"set":[`) {
		t.Errorf("code %d, %s", r.Code, r.Body)
	}
}
