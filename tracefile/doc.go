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
// A recording is a number of streams, one for each of the Go scheduler's Ps. A
// stream is a sequence of blocks of some 4,000 events, and those of all streams
// lie in the file in the order in which they were written, which is not that of
// time: a block is written when it is full. Opening a file reads the headers of
// the blocks and makes an index; Events then merges the streams, with one block
// of each in memory. So memory is some 50 bytes for each block of the file and
// some 50 KB for each stream, however long the recording; and for a test binary some
// 100 bytes for each test, with what it logged.
//
// Scan reads blocks instead, with several workers and not in the order of time, for
// those who can put together what they make of each block. It keeps a few blocks for each
// worker in memory.
//
// Events are facts in the order of time: a goroutine's calls are spread over the
// streams that it ran on, and what happened on others in the meantime lies
// between. To follow a goroutine, keep a stack for each Event.Goroutine.
//
// # Damage
//
// Every block has a checksum. What was cut off or altered is left out, and the
// search for the next block whose checksum holds begins behind it; the rest of
// the file is read as if nothing had been there. Info counts the bytes that are
// missing. The checksums of blocks of events are only checked when Events or
// Verify comes to them; Info has the result from then on. Until then their
// lengths are taken on trust, so that a damaged length which happens to lead to
// the beginning of another block takes the blocks in between with it: they are
// missing, and counted.
//
// A gap in a stream leaves calls without their ends and ends without their calls:
// users of Events close a call when a smaller token of its goroutine says that the
// call is gone, as they must anyway for a recording that begins or ends in the middle.
//
// # Several files
//
// Join makes one recording of several files: parts of one process's recording,
// and processes of one program, such as a parent and its children.
//
//	set, err := tracefile.Join(files)
//	if err != nil {
//		return err
//	}
//	var ev tracefile.Event
//	events := set.Events()
//	for events.Next(&ev) {
//		p := set.Processes[events.Process()]
//		fn, _ := p.Func(ev.Site)
//		fmt.Println(events.Nanos(), p.Info().PID, ev.Goroutine, fn.Name)
//	}
//	return events.Err()
//
// # Programs that were killed
//
// A recording program keeps its buffers in a file next to the trace file, the
// arena, and removes it when it has written the last block, End. If it was
// killed, the first Open that may write to the trace file and its folder appends
// to it what the arena holds, marks it as recovered, and removes the arena. An
// Open that may not write reads the same events and leaves both files alone. One
// that finds the program alive reads what has been recorded so far.
//
// # Windows and parts
//
// A recording with overflow ring is a window: the newest events, the oldest of which
// were overwritten. One that is rotated is several files, each of which reads by
// itself. Either way a file begins in the middle: Info.From tells from where on
// nothing is missing.
package tracefile
