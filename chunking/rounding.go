package chunking

// rounding judges what the arithmetic in hand has done to the result of a solver: by noise, which no
// arithmetic avoids, by drift, which double precision undoes, and by whether a gap can be believed.
type rounding struct{ *Solver }
