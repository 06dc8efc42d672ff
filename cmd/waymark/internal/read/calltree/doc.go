// Package calltree makes calls out of events. It follows each goroutine's stack
// through the events of a recording, and finds out when each call began and how it
// ended. It adds the calls up by function. Events in, numbers out: it knows no names.
//
//	b := calltree.New(calltree.Options{})
//	for events.Next(&ev) {
//		b.Add(&ev)
//	}
//	result := b.Close(end)
//
// # Frames
//
// An enter event carries a token, the distance from the top of the goroutine's
// stack to the frame of the function that was called. Deeper frames have greater
// tokens. That a frame is gone can be told without an event of its own: some
// later event of the goroutine has a smaller token. This is how calls end that
// never return, because a panic or runtime.Goexit unwinds them:
//
//   - Exit ends every open call with a greater token, then the innermost one with
//     this token and site. The compiler may inline one traced function into
//     another; then both have one frame, and so one token. Inlined calls above the
//     one that exits are over too.
//   - Enter ends every open call with a greater token. One with the same token
//     stays open, it may be the function that the new one is inlined into; unless
//     it is of the same function, because nothing is inlined into itself.
//   - Panic and Goexit end every open call with a greater token. They end no other
//     call yet: deferred calls run on top of the frame that panics, and appear as
//     its children.
//   - Recover ends every open call with a greater token. The call with this very
//     token has recovered the panic and goes on to its return. Functions with
//     deferred calls are never inlined, so it is the outermost one of that token.
//
// A call that an unwinding ends without an exit event has ended, as far as one
// can know, when the event came that shows it. Calls that are inlined into an
// uninstrumented function that recovers have that function's frame. Only the next
// exit or enter further out shows that they have ended.
//
// # Panics
//
// A call has panicked if it was open when a panic began and the panic ended it. A
// call that recovered the panic itself has panicked, too. A function counts at
// most one panic per call. Panics nest. A deferred call may panic anew, and what
// it recovers is that second panic only. The calls below the first panic are
// still on their way out. Goexit unwinds in the same way but counts as no panic.
//
// # Times
//
// All times are ticks of the program's clock, and all sums are sums of integers.
// So for every goroutine, the self times of its calls add up to the totals of
// its root calls, exactly. Only who prints a number makes nanoseconds out of it,
// see Scale, and rounds it once.
//
//	total  from enter to exit, of outermost calls only: a function that calls
//	       itself, directly or not, is not counted again while it is open
//	self   from enter to exit without the calls made in between
//	sum    from enter to exit, of every call; min, max and the average, sum divided
//	       by calls, are of these, so that min <= average <= max holds in recursion too
//
// # Objects
//
// An event Made belongs to the innermost call, as self time does. If that call is left out, because
// of a filter or because it was too short, its caller has made the objects.
//
// # Counted calls
//
// Of a function that was counted instead of recorded there are only the calls that took long, each
// as a Long event at its end. What such a call made itself came before, as calls of the innermost
// call that was recorded as a whole. That innermost call keeps the time. A Long call adds to
// calls, total and sum of its row, and to a node of the call tree. It adds to no self time, and
// goroutines' totals are without it.
//
// # Blocks
//
// ReadFile returns what Read returns, for a whole file, and has workers read its blocks at
// the same time. A digester adds up what it can of a block: calls that begin and end
// there. A joiner takes the digests in order and passes a Builder the rest. The rest is what
// concerns calls that began in an earlier block, and the calls that are open at the end. Of what is
// added up, only four things depend on the calls that were open before. These are whether a call is
// the outermost one of its row, and whether it is a root. The others are where the call is in the
// call tree, and whether its beginning shows that others are over. Digests keep apart what they
// must for that, in spans; see digester. Segments of a goroutine on several streams have to follow
// each other; see joiner for what happens if they seem not to.
//
// # Sketches
//
// A Sketch shows a recording from afar: calls that took long, and stretches of shorter ones, at
// several levels. Blocks are read by themselves for it, too. A digester draws what begins and ends
// in a span. It doesn't know the caller of the calls at the span's bottom, and so makes pieces of
// these calls. The joiner puts the pieces together.
//
// # Windows
//
// A call that is open when a time window begins may have begun anywhere before. So what is before a
// window is read too, by all workers, which follow stacks and count nothing. They read outlines of
// the blocks, see package format, or the blocks themselves where the file has no outlines. An
// outline has the same segments as its block. Where a joiner has to cut a segment, the block's
// digest replaces the outline's. Who is told each call gets a Builder from NewAt. This Builder
// knows the open calls and their arguments, and takes the events in the window only.
//
// # Filters
//
// Options leave calls out of the account, and always in one manner: as if the functions that are
// left out had not been instrumented. Their own time is then their caller's, and the calls that
// they made are their caller's calls. What has no caller left is not part of the result. A time
// window cuts calls: the part inside counts.
//
// What is shown of the account is another matter. A Selection chooses among the calls that
// are told, and changes nothing of them but their depth. Who prints rows or a tree leaves
// out some.
package calltree
