package command

import (
	"fmt"

	"bigmkl/internal/model"
)

// describeCentre names the rows at whose mean kernels are centred. The model must have such kernels. A
// centred kernel is k(x,y) - k(x,mu) - k(mu,y) + k(mu,mu), where mu is the mean of the images of the
// rows. With a sample of the rows, mu is an estimate, and a user has to be able to see this.
func describeCentre(m *model.Model) string {
	if n := len(m.Centre.Rows); n < m.Points {
		return fmt.Sprintf("kernels with norm=centred at the mean of a sample of %d rows", n)
	}
	return fmt.Sprintf("kernels with norm=centred at the mean of all %s", count(m.Points, "row"))
}
