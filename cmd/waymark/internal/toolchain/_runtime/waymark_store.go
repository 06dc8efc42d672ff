//go:build !amd64

package runtime

import "internal/runtime/atomic"

// wmStore stores a record. The clock comes last: it is what makes the record valid for whoever
// reads the arena after a kill.
//
//go:nosplit
func wmStore(r *wmRecord, clock, word uint64) {
	atomic.Store64(&r.word, word)
	atomic.Store64(&r.clock, clock)
}
