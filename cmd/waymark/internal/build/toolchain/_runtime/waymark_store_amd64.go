package runtime

// commit stores the clock of a record, after all that has been stored for it. The processor keeps
// the order of stores, and so does the compiler.
//
//go:nosplit
func (r *wmRecord) commit(clock uint64) { r.clock = clock }
