package model

import (
	"bytes"
	"encoding/json"

	"bigmkl/internal/kernelspec"
)

// wing is a family as the model file and the expansion of its kernels ask it. The file of a wing has all
// that a family adds to them.
type wing interface {
	// since returns the least version of the format that knows what the family has written.
	since(family *Family) int
	// expand changes the expansion of the kernels as the family needs it.
	expand(family *Family, c *kernelspec.Context)
	// ofClassifier returns the family of classifier k, which has some of the support vectors.
	ofClassifier(family *Family, k int, support []int32) *Family
	// check adds the faults of a model of the family.
	check(m *Model, f *faults)
}

// wings lists the families that every reader of this package knows, by name. A new one is added here.
var wings = map[string]wing{
	GatesFamily:      gatesWing{},
	MixtureFamily:    mixtureWing{},
	ProjectionFamily: projectionWing{},
}

// wing returns the family as a value. The value of no family, and of a family that this package does not
// know, changes nothing.
func (family *Family) wing() wing {
	if family != nil && wings[family.Name] != nil {
		return wings[family.Name]
	}
	return plainWing{}
}

// plainWing is a family that leaves the kernels as they are and is the same for all classifiers.
type plainWing struct{}

var _ wing = plainWing{}

func (plainWing) since(family *Family) int {
	if family == nil {
		return 0
	}
	return familyVersion
}

func (plainWing) expand(*Family, *kernelspec.Context) {}

func (plainWing) ofClassifier(family *Family, _ int, _ []int32) *Family { return family }

func (plainWing) check(*Model, *faults) {}

// hasSettings reports whether the settings of a family are the text of what was read from them, to the
// byte. A field that this release does not know would change the meaning of the others.
func hasSettings[T any](family *Family, read *T) bool {
	var strict T
	text, _ := json.Marshal(read)
	return json.Unmarshal(family.Settings, &strict) == nil && bytes.Equal(text, family.Settings)
}
