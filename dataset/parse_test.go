package dataset

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestNumberRounding compares with strconv, bit by bit.
func TestNumberRounding(t *testing.T) {
	check := func(s string) {
		t.Helper()
		want, err := strconv.ParseFloat(s, 64)
		v, end := number([]byte(s+" "), 0)
		if (err != nil) != (end < 0) {
			t.Fatalf("%s: end %d, strconv says %v", s, end, err)
		}
		if err == nil && (end != len(s) || math.Float64bits(v) != math.Float64bits(want)) {
			t.Fatalf("%s: %v, want %v", s, v, want)
		}
	}
	for _, s := range []string{"0", "-0", "+0.0", "9007199254740991", "9007199254740992", "9007199254740993", "9999999999999999999",
		"18446744073709551615", "18446744073709551616", "99999999999999999999", "1e22", "1e23", "123e22", "1e-22", "1e-23",
		"9007199254740991e22", "9007199254740991e-22", "2.2250738585072011e-308", "4.9e-324", "2e-324", "1.7976931348623157e308",
		"1.7976931348623159e308", "0.1", "0.3", "0.000000000000000000000000000001", "1" + strings.Repeat("0", 400) + "e-400",
		"0." + strings.Repeat("0", 400) + "1e401", "1e99999999999999999999", "1e-99999999999999999999", "0e99999999999999999999"} {
		check(s)
	}
	const seed = 7
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200_000 {
		v := math.Float64frombits(rng.Uint64())
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		check(strconv.FormatFloat(v, 'e', rng.IntN(20)-1, 64))
		check(strconv.FormatFloat(rng.NormFloat64()*100, 'f', rng.IntN(20)-1, 64))
		check(strconv.Itoa(rng.IntN(1e6)) + "." + strconv.Itoa(rng.IntN(1e6)) + "e" + strconv.Itoa(rng.IntN(60)-30))
	}
}
