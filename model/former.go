package model

// Gates returns the gates of the model, or nil if it has none.
func (m *Model) Gates() *Gates { return m.Family.Gates() }

// SetGates makes the model one with gates.
func (m *Model) SetGates(g *Gates) { m.Family = g.Family() }

// Mixture returns the mixture of the model, or nil if it has none.
func (m *Model) Mixture() *Mixture { return m.Family.Mixture() }

// SetMixture makes the model one of a mixture.
func (m *Model) SetMixture(x *Mixture) { m.Family = x.Family() }

// Projection returns the projection of the model, or nil if it has none.
func (m *Model) Projection() *Projection { return m.Family.Projection() }

// SetProjection makes the model one on projected features. Gates that it has stay.
func (m *Model) SetProjection(p *Projection) { m.Family = p.Family(m.Family) }
