package recorder

// awaitStep waits until the monotonic clock has just moved. The clock of Windows
// counts timer interrupts, 0.5 to 15.6 ms apart. Read at any other moment it is
// late by as much, and a short recording would get wrong times. awaitStep waits no
// longer than 20 ms, in turns of the processor's counter of at most 5 GHz.
func awaitStep(h Hooks) {
	const most = 20e6 * 5
	start, before := h.Clock()
	for {
		if clock, mono := h.Clock(); mono != before || clock-start > most {
			return
		}
	}
}
