//go:build !amd64

package runtime

import "internal/runtime/atomic"

// commit stores the clock of a record, after all that has been stored for it.
//
//go:nosplit
func (r *wmRecord) commit(clock uint64) { atomic.Store64(&r.clock, clock) }
