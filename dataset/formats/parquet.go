package formats

import (
	"path/filepath"
	"strings"

	"bigmkl/dataset/parquet"
	"bigmkl/internal/fail"
)

// isParquet reports whether the data are Parquet files, by their names or first bytes.
func isParquet(paths []string) (bool, error) {
	found := 0
	for _, path := range paths {
		if strings.ToLower(filepath.Ext(path)) != ".parquet" {
			start, err := head(path, 4)
			if err != nil {
				return false, err
			}
			if !parquet.Is(start) {
				continue
			}
		}
		found++
	}
	if found > 0 && found < len(paths) {
		return false, fail.New(fail.Usage, "Parquet files among others").
			WithHint("give files of one format")
	}
	return found > 0, nil
}
