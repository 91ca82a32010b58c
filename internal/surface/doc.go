// Package surface minimises a function that is expensive to measure and has noise, such as the
// error of cross-validation over the logarithms of a few regularisation parameters, by a response
// surface (Goenen 2010, section 2.7).
//
// The surface is a quadratic in x = (x_1 .. x_F),
//
//	s(x) = b + g'x + x'Hx/2,
//
// of which (F+1)(F+2)/2 coefficients are free. The Koshal design measures as many points, so the
// first surface goes through all of them. After that the point at which the surface is least is
// measured and joins the fit, a Newton step on the smoothed function, until such a point is one that
// was measured before.
//
// A surface through noise is mostly indefinite, and its least point lies at the edge of whatever it
// is confined to, far from all that was measured. The search is therefore confined twice: to the box
// in which the parameters make sense, and to a ball around the best point so far.
package surface
