package elsewhere

var _ int = "on Windows alone"
