package elsewhere_test

import "elsewhere"

var _ = elsewhere.Missing
