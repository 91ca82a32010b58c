// Package report writes a page on a model or a selection for people who decide whether to use it.
//
// A page is one HTML file. It loads nothing, and its content security policy allows nothing but its
// own style sheet and, where curves of a training can be enlarged, one script of this package. All
// can be read without the script. The page is well-formed XML as well, which tests check. Whatever
// comes from the data or from a file appears in it as text.
//
// # Charts
//
// Charts are SVG from a small writer of this package: drawing has the elements, scale the axes, and
// LineChart and HeatMap put them together. Equal numbers give equal bytes. Colours are classes of
// the style sheet, so a chart is readable in light, in dark and on paper.
//
// # Memory
//
// Predictions and traces stream by. What is kept of them is a regular sample that is thinned by
// half whenever it is full (HeldOut, Trace), and a curve has a few hundred points in the page.
package report
