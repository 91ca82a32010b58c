package chunking

// rounding judges what the arithmetic in hand has done to the result of a solver. There are three
// questions: noise estimates what double precision does to the values however they are computed,
// drift measures what double precision would undo, and trusted and claim decide by both whether a
// gap can be accepted and what may be claimed of a run that ends early.
type rounding struct{ *evaluation }
