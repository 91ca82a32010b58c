package main

import (
	"cmp"
	"maps"
	"slices"
)

// The problem is to order the files so that the fewest arrows run from a later file to an earlier one (a minimum
// feedback arc set, which is NP-hard). A depth-first search finds an order without any where there is one, and the
// difference of calls made and received is a second start. From each, one file after the other moves to its best place,
// until none gains. The better end is a local minimum: the count is an upper bound.

// RunUp returns the arrows that run up in the order that was found.
func RunUp(arrows []Arrow) []Arrow {
	calls := map[Arrow]bool{}
	for _, a := range arrows {
		calls[a] = true
	}
	var best []Arrow
	for k, files := range [][]string{searched(arrows), weighed(arrows)} {
		for moved := true; moved; {
			moved = false
			for _, file := range slices.Clone(files) {
				moved = improve(files, file, calls) || moved
			}
		}
		if up := runUpIn(files, arrows); k == 0 || len(up) < len(best) {
			best = up
		}
	}
	return best
}

// runUpIn returns the arrows that run up in an order of the files.
func runUpIn(files []string, arrows []Arrow) (up []Arrow) {
	place := map[string]int{}
	for at, file := range files {
		place[file] = at
	}
	for _, a := range arrows {
		if place[a.From] > place[a.To] {
			up = append(up, a)
		}
	}
	return up
}

// searched returns the files as a depth-first search leaves them, the last first: callers come before what they call
// unless there is a circle.
func searched(arrows []Arrow) []string {
	called := map[string][]string{}
	for _, a := range arrows {
		called[a.From] = append(called[a.From], a.To)
	}
	var left []string
	seen := map[string]bool{}
	var visit func(file string)
	visit = func(file string) {
		if seen[file] {
			return
		}
		seen[file] = true
		for _, to := range called[file] {
			visit(to)
		}
		left = append(left, file)
	}
	for _, a := range arrows {
		visit(a.From)
	}
	slices.Reverse(left)
	return left
}

// weighed returns the files by the calls that they make less the calls that they receive, the most first.
func weighed(arrows []Arrow) []string {
	excess := map[string]int{}
	for _, a := range arrows {
		excess[a.From]++
		excess[a.To]--
	}
	return slices.SortedFunc(maps.Keys(excess), func(a, b string) int {
		return cmp.Or(excess[b]-excess[a], cmp.Compare(a, b))
	})
}

// improve moves a file to the place with the fewest arrows up, and reports whether that gains any.
func improve(files []string, file string, calls map[Arrow]bool) bool {
	at := slices.Index(files, file)
	rest := slices.Delete(slices.Clone(files), at, at+1)
	// Before all others, the arrows up are the calls of file by others. Each file that comes before it turns its arrows.
	up := 0
	for _, other := range rest {
		up += count(calls[Arrow{other, file}])
	}
	best, fewest, today := 0, up, 0
	for place := 0; ; place++ {
		if place == at {
			today = up
		}
		if up < fewest {
			best, fewest = place, up
		}
		if place == len(rest) {
			break
		}
		up += count(calls[Arrow{file, rest[place]}]) - count(calls[Arrow{rest[place], file}])
	}
	if fewest >= today {
		return false
	}
	copy(files, slices.Insert(rest, best, file))
	return true
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
