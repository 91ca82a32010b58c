package command

import (
	"fmt"

	"bigmkl/internal/model"
)

// describeCentre names the rows at whose mean kernels are centred. The model must have such kernels.
func describeCentre(m *model.Model) string {
	if n := len(m.Centre.Rows); n < m.Points {
		return fmt.Sprintf("kernels with norm=centred at the mean of a sample of %d rows", n)
	}
	return fmt.Sprintf("kernels with norm=centred at the mean of all %s", count(m.Points, "row"))
}
