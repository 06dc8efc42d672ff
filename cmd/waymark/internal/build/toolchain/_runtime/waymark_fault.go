// Package runtime, as waymark adds to it: an arena whose memory is gone.

package runtime

// WMBroken tells whether memory of the arena could not be reached, see wmOnFault.
func WMBroken() bool { return wm.broken.Load() }

// WMHeld returns the number of records in chunks that were handed out and have not
// been freed. It leaves out those that the caller has taken. WMHeld doesn't look at
// the arena, so the number may be too high; it is never too low.
func WMHeld() uint64 {
	const most = (wmChunkSize - wmChunkHeader) / wmRecordSize
	lock(&wm.lock)
	n := uint64(wm.nfull) * most
	unlock(&wm.lock)
	for _, pp := range allp {
		if pp.wm.pos != 0 {
			n += uint64((pp.wm.pos-1)&(wmChunkSize-1)+1-wmChunkHeader) / wmRecordSize
		}
	}
	return n
}
