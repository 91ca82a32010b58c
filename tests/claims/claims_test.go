package claims

import (
	"context"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
	"bigmkl/verify"
)

// unclaimed reads from the page of the model file which keys and arrays claim nothing that data could
// refute.
func unclaimed(t testing.TB) map[string]bool {
	t.Helper()
	b, err := os.ReadFile("../../docs/MODEL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), "\n## What is not checked\n")
	text, _, _ = strings.Cut(text, "\n## ")
	if !ok {
		t.Fatal("docs/MODEL.md has no list of what is not checked")
	}
	list := map[string]bool{}
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				list[name[1]] = true
			}
		}
	}
	return list
}

// covers reports whether a list has a key, or one that it is part of.
func covers(list map[string]bool, key string) bool {
	for key != "" {
		if list[key] {
			return true
		}
		at := strings.LastIndexAny(key, ".[")
		key = key[:max(at, 0)]
	}
	return false
}

// version is the text of a rejection about the version that a changed file needs.
var version = regexp.MustCompile(`of a model that takes version (\d+)`)

// complaints are the faults that reading and verification report of a forged file, and the keys that verification names as
// not checked.
func (r *trained) complaints(f *commandtest.Forgery) (list, open []string) {
	for range 2 {
		text := f.Build()
		m, err := model.Decode(strings.NewReader(text), int64(len(text)), "model")
		if err != nil {
			if v := version.FindStringSubmatch(err.Error()); v != nil {
				f.Version = v[1]
				continue
			}
			return []string{err.Error()}, nil
		}
		o := r.options
		o.Memory = 1 << 30
		report, err := verify.Run(context.Background(), m, datasettest.Stream(r.rows), o)
		if err != nil {
			return []string{err.Error()}, nil
		}
		return report.Faults, report.Unchecked
	}
	return []string{"no version has it"}, nil
}

// TestEveryKey changes each key of the settings and each array of a model of each family, one at a time:
// verification rejects the file, or names what was changed among what it has not checked, or the page of the
// model file lists it as a key without a claim. Below level 1 a few families and changes are drawn.
func TestEveryKey(t *testing.T) {
	t.Parallel()
	free := unclaimed(t)
	t.Logf("BIGMKL_SEED=%d", testlevel.Seed)
	for i, f := range families {
		if !testlevel.Diagonal(t, i, 0, 10, 2) {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			r := f.train(t)
			whole := commandtest.TakeApart(t, r.file)
			whole.Text = whole.Raw
			if list, _ := r.complaints(whole); len(list) > 0 {
				t.Fatalf("the model as it is: %q", list)
			}
			tried, passed := 0, 0
			judge := func(key, what string, change func(*commandtest.Forgery)) {
				t.Helper()
				if tried++; (uint64(i+tried)+testlevel.Seed)%uint64(testlevel.Stride(8, 3)) != 0 {
					return
				}
				forged := commandtest.TakeApart(t, r.file)
				forged.Text = forged.Raw
				change(forged)
				list, open := r.complaints(forged)
				named := slices.ContainsFunc(open, func(line string) bool {
					name, _, _ := strings.Cut(line, ":")
					return covers(map[string]bool{name: true}, key)
				})
				if len(list) == 0 && !named && !covers(free, key) && !free[key+" "+what] {
					passed++
					t.Errorf("%s %s passes", key, what)
				}
			}
			root := parseText(whole.Raw)
			for _, e := range root.edits("") {
				judge(e.path, e.what, func(f *commandtest.Forgery) {
					e.do()
					f.Text = root.String()
					e.undo()
				})
			}
			rng := rand.New(rand.NewPCG(testlevel.Seed, uint64(i)))
			for _, e := range tensorEdits(rng, whole) {
				judge(e.name, e.what, e.do)
			}
			t.Logf("%d changes, of which %d pass", tried, passed)
		})
	}
}
