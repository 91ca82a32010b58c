package main

// known are the types above the ceiling, with the numbers of their methods and functions. A number that
// falls is lowered here, and none is raised: a type that comes down to the ceiling leaves the list.
var known = map[string]int{
	"kernels.Group": 31,
	"kernels.Bank":  41,
}
