package dataset

import (
	"strconv"
	"unsafe"
)

// pow10 lists the powers of ten that a float64 holds exactly. A mantissa below 2^53 that is
// multiplied or divided by one of them is rounded only once, so the result is correctly rounded
// (Clinger 1990).
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number parses the plain decimal number at the start of b[i:], which a blank or the end of b must
// follow. It returns the value and the index behind the number. The index is negative if there is
// no number or if the value is not finite. Numbers that are too small for a float64 are zero. The
// result is correctly rounded: one multiplication or division suffices up to 2^53 and 22 decimal
// places, and strconv does the rest.
func number(b []byte, i int) (v float64, end int) {
	start := i
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	m, first := uint64(0), i
	for i < len(b) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	digits, exp := i-first, 0
	if i < len(b) && b[i] == '.' {
		i++
		first = i
		for i < len(b) && b[i]-'0' <= 9 {
			m = m*10 + uint64(b[i]-'0')
			i++
		}
		exp = first - i
		digits += i - first
	}
	if digits == 0 {
		return 0, -1
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		var power int
		if power, i = exponent(b, i+1); i < 0 {
			return 0, -1
		}
		exp += power
	}
	if i < len(b) && !blank(b[i]) {
		return 0, -1
	}
	if digits > 19 || m >= 1<<53 || exp < -22 || exp > 22 {
		// Only digits, one point and one exponent reach strconv, and none of the other forms that
		// it accepts.
		token := b[start:i]
		v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(token), len(token)), 64)
		if err != nil {
			return 0, -1
		}
		return v, i
	}
	v = float64(m)
	if exp < 0 {
		v /= pow10[-exp]
	} else {
		v *= pow10[exp]
	}
	if neg {
		v = -v
	}
	return v, i
}

// exponent parses digits with an optional sign. It returns a negative end if there are none. It
// cuts large exponents to a million, where every number is out of range anyway.
func exponent(b []byte, i int) (power, end int) {
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	first := i
	for i < len(b) && b[i]-'0' <= 9 {
		power = min(power*10+int(b[i]-'0'), 1e6)
		i++
	}
	if i == first {
		return 0, -1
	}
	if neg {
		power = -power
	}
	return power, i
}
