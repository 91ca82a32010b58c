package objects

import (
	"slices"
	"strconv"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
)

// lacks reports whether a word means that there is no value, in small letters or capitals.
func lacks(word []byte) bool {
	return slices.ContainsFunc(labeltext.MissingWords, func(missing string) bool { return strings.EqualFold(missing, string(word)) })
}

// heads reports whether the first line of a text names the features. An object that is taken for such a line would be
// lost silently, and so a line with a number, or without any name, is an object. Programs that write tables number
// features without names, so numbers from 0 or 1 name them behind a word such as "name". columns are the names of the columns that
// name the objects.
func heads(words [][]byte, columns []string) bool {
	numbers, names := 0, 0
	for _, word := range words[1:] {
		if _, ok := dataset.ParseNumber(string(word)); ok {
			numbers++
		} else if !lacks(word) {
			names++
		}
	}
	if numbers < 2 || numbers < len(words)-1 {
		return numbers == 0 && names > 0
	}
	first := string(words[0])
	if !slices.Contains([]string{"", "name", "id"}, strings.ToLower(first)) && !slices.Contains(columns, first) {
		return false
	}
	from, err := strconv.Atoi(string(words[1]))
	for k, word := range words[1:] {
		if err != nil || from < 0 || from > 1 || string(word) != strconv.Itoa(from+k) {
			return false
		}
	}
	return true
}
