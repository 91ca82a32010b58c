package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// formatNorm formats a block norm as a fraction where one with a denominator below 20 is exact. A user
// who gave 4/3 reads 4/3 again, and can give it to another command without a loss of digits.
func formatNorm(p float64) string {
	if math.IsInf(p, 1) {
		return "inf"
	}
	return formatQuotient(p, 0)
}

// formatQuotient writes p as a quotient a/b with b below 20 if their relative difference is at most
// off, and else as a decimal number.
// The smallest denominator that fits is taken.
func formatQuotient(p, off float64) string {
	for b := 1.0; b < 20; b++ {
		a := math.Round(p * b)
		switch {
		case math.Abs(a/b-p) > off*p:
		case b == 1:
			return strconv.FormatFloat(a, 'g', -1, 64)
		default:
			return fmt.Sprintf("%g/%g", a, b)
		}
	}
	return strconv.FormatFloat(p, 'g', -1, 64)
}

// formatTime formats a duration to the second, or to a tenth of a second below ten seconds.
// Tenths matter for short times only.
func formatTime(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// formatFine formats a duration below ten seconds to three digits, and a longer one to the second.
// Times of a pass or a sample may be a few milliseconds, where a tenth of a second shows nothing.
func formatFine(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.3gs", d.Seconds())
	}
	return formatTime(d)
}

// formatAge formats a duration that may be years. A clock that was set back makes ages negative; they
// count as 0.
func formatAge(d time.Duration) string {
	const day = 24 * time.Hour
	if d < 2*day {
		return formatTime(max(d, 0))
	}
	return fmt.Sprintf("%d days", d/day)
}

// formatBytes formats a number of bytes with a unit that is a power of 1024.
// Four digits are enough to compare with a budget.
func formatBytes(n int64) string {
	const step = 1 << 10
	x, unit := float64(n), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if x < step {
			break
		}
		x, unit = x/step, next
	}
	return fmt.Sprintf("%.4g %s", x, unit)
}

// shorten cuts a text to at most so many letters. It ends a text that was cut in two dots. Letters
// count and not bytes, so a cut never divides a letter.
func shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-2]) + ".."
	}
	return text
}

// count formats a number of things that have a regular plural, such as kernels.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// formatNumbers formats numbers with four digits each.
// A blank separates them, so the result can be a field of a table.
func formatNumbers(x []float64) string {
	var b strings.Builder
	for i, v := range x {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%.4g", v)
	}
	return b.String()
}
