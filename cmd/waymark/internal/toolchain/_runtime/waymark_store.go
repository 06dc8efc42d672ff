//go:build !amd64

package runtime

import "internal/runtime/atomic"

// wmStore stores a word of a record, after all that was stored before.
func wmStore(to *uint64, v uint64) { atomic.Store64(to, v) }
