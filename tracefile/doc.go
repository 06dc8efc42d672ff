// Package tracefile reads the trace files that waymark records.
//
//	f, err := tracefile.Open("prog.wmt")
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	var ev tracefile.Event
//	events := f.Events()
//	for events.Next(&ev) {
//		if ev.Kind == tracefile.Enter {
//			fn, _ := f.Func(ev.Site)
//			fmt.Println(f.Nanos(ev.Clock), ev.Goroutine, fn.Name)
//		}
//	}
//	return events.Err()
//
// # Model
//
// A recording is a number of streams, one for each of the Go scheduler's Ps. A stream is a sequence
// of blocks of some 4,000 events. A block is written when it is full. So the blocks of all streams
// lie in the file in the order in which they filled up, not in the order of time.
//
// Opening a file reads the index that the recorder has written, and the headers of those blocks that
// the index doesn't list. Events then merges the streams,
// with one block of each in memory. Memory is some 50 bytes for each block of the file and some 50
// KB for each stream, however long the recording. The recording of a test binary takes some 100
// bytes more for each test, and what the test logged.
//
// Events come in the order of time. The calls of a goroutine are spread over the streams that the
// goroutine ran on, and events of other goroutines lie between. To follow a goroutine, keep a stack
// for each Event.Goroutine.
//
// Scan reads blocks with several workers, and not in the order of time, for programs that can put
// together what they make of each block. It keeps a few blocks for each worker in memory.
//
// # A part of the time
//
// A Range is a part of a recording's time. EventsIn returns the events in a Range, and reads nothing
// before the block of each stream in which the Range begins:
//
//	second := tracefile.Range{From: f.ClockAt(time.Second), To: f.ClockAt(2 * time.Second)}
//	events := f.EventsIn(second)
//
// Calls that began before the range have their ends in it, and no beginnings. Scan with a Range gives
// outlines of the blocks before the range, too: the events which say what calls are open then.
//
// # Damage
//
// Bytes that were cut off or altered are left out, and counted in Info. A gap in a stream leaves calls
// without their ends, and ends without their calls. A smaller token of the same goroutine says that a
// call is gone: close the call then. Recordings that begin or end in the middle ask for the same.
//
// # Counted calls
//
// A program that keeps to a budget records less of the functions that cost most. Demotions returns
// when it recorded what of which function, Counted how many calls were counted instead. A function was
// called as often as it has Enter events and was counted. With a strict budget a part of these counts is
// estimated, see Guessed. A counted call that took long is a Long
// event at its end.
//
// # Several files
//
// Join makes one recording of several files: parts of one process's recording, and processes of one
// program, such as a parent and its children.
//
// # Windows and parts
//
// A recording with overflow ring is a window: the newest events, as the older ones were overwritten.
// A recording that is rotated is several files, each of which reads by itself. Either way a file
// begins in the middle: nothing is missing after Info.From.
package tracefile
