package table

import (
	"strings"

	"bigmkl/dataset"
)

// DecimalComma is the value of Options.Decimal for numbers such as 0,5.
const DecimalComma = "comma"

// Decimals lists the values of Options.Decimal.
var Decimals = []string{"point", DecimalComma}

// separatorsOfThousands stand between groups of three digits in some countries or other; a comma or
// a point, whichever is not the decimal sign, does in many. The last two are blanks of typesetters.
var separatorsOfThousands = []string{"'", "’", " ", "\u00a0", "\u202f"}

// number parses a number as the options have numbers written.
func (o *Options) number(field string) (v float64, ok bool) {
	comma := o.Decimal == DecimalComma
	if !comma && !o.Thousands {
		return dataset.ParseNumber(field)
	}
	plain, ok := plainNumber(field, comma, o.Thousands)
	if !ok {
		return 0, false
	}
	return dataset.ParseNumber(plain)
}

// plainNumber returns a number with a decimal comma, or with separators between thousands, as the
// plain decimal that it is. What it returns need not be a number in other respects.
func plainNumber(field string, comma, thousands bool) (plain string, ok bool) {
	decimal, other := byte('.'), ","
	if comma {
		decimal, other = ',', "."
	}
	sign := ""
	if len(field) > 0 && (field[0] == '-' || field[0] == '+') {
		sign, field = field[:1], field[1:]
	}
	end := strings.IndexAny(field, string(decimal)+"eE")
	if end < 0 {
		end = len(field)
	}
	whole, rest := field[:end], field[end:]
	if thousands {
		if whole, ok = withoutThousands(whole, other); !ok {
			return "", false
		}
	}
	// The other sign is a separator of thousands or a mistake, and never a second decimal sign.
	if strings.Contains(whole, other) || strings.Contains(rest, other) {
		return "", false
	}
	if len(rest) > 0 && rest[0] == decimal {
		rest = "." + rest[1:]
	}
	return sign + whole + rest, true
}

// withoutThousands takes the separators out of digits in groups of three. It returns ok = false if
// there are separators, but not one and the same before every third digit from the right. A group of
// zero alone is none, because 0,346 is not a number of thousands.
func withoutThousands(digits, other string) (joined string, ok bool) {
	for _, separator := range append([]string{other}, separatorsOfThousands...) {
		if !strings.Contains(digits, separator) {
			continue
		}
		groups := strings.Split(digits, separator)
		for k, group := range groups {
			if strings.Trim(group, "0123456789") != "" || k > 0 && len(group) != 3 {
				return "", false
			}
		}
		if n := len(groups[0]); n < 1 || n > 3 || groups[0][0] == '0' {
			return "", false
		}
		return strings.Join(groups, ""), true
	}
	return digits, true
}
