package kernelspec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
)

// TestReadingIsBounded: for any list of kernels, reading, checking and counting it allocates at most 4 times its
// size and 64 MiB; and expanding it no more than it is allowed to.
func TestReadingIsBounded(t *testing.T) {
	const large = 12 << 20
	lines := func(s string) string { return strings.Repeat(s+"\n", large/(len(s)+1)) }
	wide := Context{Features: 1<<31 - 1, Views: []dataset.View{{Name: "v", First: 1, Last: 1<<31 - 2}}, Median: func([]int32, Kind) (float64, error) { return 1, nil }}
	for name, text := range map[string]string{
		"linear": lines("linear"), "hist": lines("hist"), "comments": lines("#"), "line breaks": lines(""), "libsvm": lines("-t 0"),
		"ranges": lines("gauss:1..2/1048576"), "degrees": lines("poly:1..1000"), "auto": lines("gauss:auto/1000"),
		"features": "linear@" + strings.Repeat("1+", large/2) + "1", "wide sets": lines("linear@1-2000000000"), "views": lines("linear@v"),
		"each feature": "gauss:0.001..10/1048576@each-feature", "too many values": "gauss:0.001..10/2000000000@each-feature",
		"random": "gauss:0.001..10/1048576@random:2000000000*2000000000", "each view": lines("gauss:1..2/1048576@each-view"),
		"quotients": "gauss:" + strings.Repeat("1/", large/2) + "1", "digits": "gauss:" + strings.Repeat("9", large),
		"a base": "gauss:1." + strings.Repeat("1", large) + "^5000", "an exponent": "gauss:2^" + strings.Repeat("9", large),
		"colons": "poly:" + strings.Repeat(":", large), "points": "gauss:1" + strings.Repeat(".", large), "words": "-t " + strings.Repeat("0 ", large/2),
		"a file": "precomputed:" + strings.Repeat("x", large), "at": "gauss" + strings.Repeat("@", large), "NUL": strings.Repeat("\x00", large),
		"commas": strings.Repeat(",", large), "products": lines("prod(hist,hist)"), "powers": lines("pow(hist,2)"), "parentheses": "prod(" + strings.Repeat("(", large),
		"factors": "prod(" + strings.Repeat("hist,", large/5) + "hist)", "users": lines("user:k"), "nested": strings.Repeat("prod(", large/5),
	} {
		if !testlevel.Tried(t, name, 4, 2) {
			continue
		}
		path := filepath.Join(t.TempDir(), "kernels")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, how := range testlevel.Few(t, name, 1, []string{"file", "list"}) {
			list := "@" + path
			if how == "list" {
				list = strings.ReplaceAll(text, "\n", ",")
			}
			c := wide
			c.Memory = 1 << 20
			var err error
			used := heaptest.Allocated(func() {
				var specs []string
				if specs, err = Split(list); err == nil {
					if _, _, err = Count(specs, c); err == nil {
						_, err = Expand(specs, c)
					}
				}
			})
			if most := int64(4*len(text) + 64<<20); used > most {
				t.Errorf("%s from a %s: %d MiB of text, %d MiB allocated, at most %d allowed", name, how, len(text)>>20, used>>20, most>>20)
			}
			if err != nil && !errors.Is(err, fail.Usage) && !errors.Is(err, fail.Input) && !errors.Is(err, fail.Budget) {
				t.Errorf("%s from a %s: %v", name, how, err)
			}
			if err != nil && len(err.Error()) > 800 {
				t.Errorf("%s from a %s: a message of %d bytes", name, how, len(err.Error()))
			}
		}
	}
}

// TestMemory: a bank beyond what is allowed is rejected before it is built, whether kernels, sets or features are many.
func TestMemory(t *testing.T) {
	c := Context{Features: 1000, Seed: 1, Memory: 1 << 20}
	for _, list := range []string{"gauss:1..2/100000", "linear@random:500*600", "linear@random:1*10000", "gauss:1..2/30@each-feature"} {
		var err error
		used := heaptest.Allocated(func() { _, err = Expand([]string{list}, c) })
		if !errors.Is(err, fail.Budget) || used > 1<<20 {
			t.Errorf("%s: %v after %d bytes", list, err, used)
		}
		c := c
		c.Memory = 0
		b, err := Expand([]string{list}, c)
		if err != nil {
			t.Fatal(err)
		}
		elements := 0
		for _, s := range b.Sets {
			elements += len(s)
		}
		c.Memory = int64(len(b.Kernels)*kernelBytes + len(b.Sets)*setBytes + elements*featureBytes)
		if _, err := Expand([]string{list}, c); err != nil {
			t.Errorf("%s just fits: %v", list, err)
		}
		if c.Memory--; true {
			if _, err := Expand([]string{list}, c); !errors.Is(err, fail.Budget) {
				t.Errorf("%s just does not fit: %v", list, fmt.Sprint(err))
			}
		}
	}
}
