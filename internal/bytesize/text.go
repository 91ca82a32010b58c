// Package bytesize writes numbers of bytes.
package bytesize

import "fmt"

// Text formats a number of bytes for people.
func Text(n int64) string {
	x := float64(n)
	for _, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if x < 1000 {
			return fmt.Sprintf("%.3g %s", x, unit)
		}
		x /= 1024
	}
	return fmt.Sprintf("%.3g TiB", x)
}

// Flag formats a number of bytes, rounded up, in the form that an option takes.
func Flag(n int64) string {
	const mebi = 1 << 20
	n = (n + mebi - 1) / mebi
	if n < 10<<10 {
		return fmt.Sprintf("%dMiB", n)
	}
	return fmt.Sprintf("%.1fGiB", float64((n*10+1023)/1024)/10)
}
