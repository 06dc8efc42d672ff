// Package replay prints the calls of recordings one after the other, in the order of time. As in
// uftrace, braces are around what a call made. At the left are the time since the start of the
// recording, when the call began or at a closing brace ended, and durations.
//
//	slow := &recording.Filter{Min: time.Millisecond}
//	done, err := replay.Write(os.Stdout, set, slow, replay.Options{})
//
// prints
//
//	        TIME   DURATION  GOROUTINE  FUNCTION
//	0.000012340s            [        1]  main.main() {
//	0.000020001s   1.234 ms [        1]    main.load(path="a.txt") = (12, <nil>);
//	0.005690340s   5.678 ms [        1]  } /* main.main */
//
// A Printer prints the same of calls that come from elsewhere:
//
//	p := replay.New(os.Stdout, file, scale.Nanoseconds, file.Nanos, replay.Options{})
//	b := calltree.New(calltree.Options{OnEnter: p.Enter, OnCall: p.Call})
//	...
//	return p.Flush()
//
// A value takes 60 columns at most, unless another width is asked for. A method's receiver is
// printed whole with a number, and by its number until what is printed of it changes:
//
//	        [        1]    main.(*Client).Do(c=*Client@1{host:a.example n:0}, path="/") {
//	1.234 ms [        1]    main.(*Client).Do(c=*Client@1, path="/b");
//
// A counted call that took long and began before the first event has a line at its end: what it
// called stands above it.
//
//	0.005690340s   1.234 ms [        1]    main.parse(); /* counted, ends here */
//
// Lines of a goroutine are in the order of its calls. A call's first line is printed when the
// call's first callee or its end is known. Lines of other goroutines may come before that line. Lines
// of several processes have the process's id before the goroutine's id, and come in the order of
// wall-clock time. Reading and printing have a goroutine each.
package replay

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/tracefile"
)

// A Result says what has been printed.
type Result struct {
	Read   []recording.Summary // of the processes
	Masked bool                // see Printer
}

// Write prints the calls of all processes of a set that the filter lets through,
// and returns what is known about them. On an error, what could be read has been printed.
func Write(w io.Writer, set *tracefile.Set, filter *recording.Filter, o Options) (done Result, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	width := 0 // of labels; one process has none
	if processes := recording.Processes(set); len(processes) > 1 {
		width = len("PROCESS ")
		for _, p := range processes {
			width = max(width, len(p.Label)+1)
		}
	}
	var printers []*Printer
	relay := newRelay()
	done.Read, err = filter.Follow(set, func(of *recording.Process) recording.Follower {
		label := ""
		if width > 0 {
			label = fmt.Sprintf("%*s ", width-1, of.Label)
		}
		p := NewLabelled(b, of.File, of.Scale.Nanoseconds, since(of), label, o)
		if printers = append(printers, p); len(printers) == 1 {
			p.Head(width)
		}
		to := recording.Follower{Enter: relay.to(p.Enter), Call: relay.to(p.Call)}
		if o.Waiting {
			to.Wait = relay.to(p.Wait)
		}
		return to
	})
	relay.close()
	done.Masked = slices.ContainsFunc(printers, (*Printer).Masked)
	if flushErr := b.Flush(); flushErr != nil {
		return done, flushErr // the reader of the output has gone: not worth more words
	}
	return done, err
}

// since returns the function that turns clock readings of p into ns since the start of the first
// process's recording.
func since(p *recording.Process) func(clock uint64) int64 {
	return func(clock uint64) int64 { return int64(p.Since) + p.File.Nanos(clock) }
}
