//go:build !amd64

package measure

import "time"

// Floor reads the monotonic clock 2*n times.
func Floor(n int) {
	start := time.Now()
	for range 2*n - 1 {
		_ = time.Since(start)
	}
}
