package runtime

// wmStore stores a record. The clock comes last: it is what makes the record valid for whoever
// reads the arena after a kill. The processor keeps the order of stores, and so does the compiler.
//
//go:nosplit
func wmStore(r *wmRecord, clock, word uint64) {
	r.word = word
	r.clock = clock
}
