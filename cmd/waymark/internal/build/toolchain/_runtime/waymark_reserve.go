// Package runtime, as waymark adds to it: what waymark keeps in the program's heap.

package runtime

// The bytes of the heap that are waymark's. mheap_.lock guards them.
var wmReserved int

// WMReserve notes that waymark keeps so many bytes more in the heap, or fewer if they are negative.
// A heap of less than 4 MB, with GOGC=100, is collected whenever these 4 MB are full. It is to be
// collected as often as without waymark. What a larger heap holds doesn't have it collected more often.
func WMReserve(bytes int) {
	systemstack(func() {
		lock(&mheap_.lock)
		wmReserved += bytes
		if percent := gcController.gcPercent.Load(); percent >= 0 {
			gcController.heapMinimum = defaultHeapMinimum*uint64(percent)/100 + uint64(wmReserved)
		}
		unlock(&mheap_.lock)
	})
}
