package labeltext

import (
	"errors"
	"slices"
	"testing"

	"bigmkl/internal/fail"
)

func TestCanonicalLabel(t *testing.T) {
	for in, want := range map[string]string{
		"1": "1", "+1": "1", "1.0": "1", "1e0": "1", "1.": "1", "01": "1", "10e-1": "1", "0.1e1": "1", "+1.000E+0": "1", "1e+00": "1",
		"-1": "-1", "-01.0": "-1", "0": "0", "-0": "0", "+0.0": "0", "0e5": "0", ".0": "0", "0e-999999999": "0",
		"12e1": "120", "1.20e2": "120", "9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
		"spam": "spam", "1a": "1a", "a1": "a1", "1,3": "1,3", "+": "+", "-": "-", ".": ".", "e": "e", "1e": "1e", "--1": "--1", "_": "_", "a_1": "a_1",
	} {
		got, err := Canonical(in)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("%q: canonical %q is not a fixed point: %q, %v", in, got, again, err)
		}
	}
	for _, in := range []string{"", "1.5", "-0.1", "1e-1", "nan", "NaN", "inf", "-Inf", "+Infinity", "0x1p3", "0x10", "-0X1", "1e400", "1e-400",
		"1.00000000000000000000000001", "9223372036854775808", "1e19", "1_000", "-1_0.5", "1e99999999999999999999"} {
		if got, err := Canonical(in); !errors.Is(err, fail.Input) {
			t.Errorf("%q: %q, %v, want an error", in, got, err)
		}
	}
}

func TestClassOrder(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"10", "9", "-1", "0"}, []string{"-1", "0", "9", "10"}},
		{[]string{"10", "9", "a"}, []string{"10", "9", "a"}},
	} {
		Sort(c.in)
		if !slices.Equal(c.in, c.want) {
			t.Errorf("%v, want %v", c.in, c.want)
		}
	}
}
