// Package replay prints the calls of recordings one after the other, in the order of time.
//
//	slow := &recording.Filter{Min: time.Millisecond}
//	done, err := replay.Write(os.Stdout, set, slow, transcript.Options{})
//
// Package transcript has the form of the lines. Lines of several processes have the
// process's id before the goroutine's id, and come in the order of wall-clock time. Reading and
// printing have a goroutine each.
package replay

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/transcript"
	"github.com/waymark-go/waymark/tracefile"
)

// A Result says what has been printed.
type Result struct {
	Read   []recording.Summary // of the processes
	Masked bool                // see transcript.Printer
}

// Write prints the calls of all processes of a set that the filter lets through,
// and returns what is known about them. On an error, what could be read has been printed.
func Write(w io.Writer, set *tracefile.Set, filter *recording.Filter, o transcript.Options) (done Result, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	width := 0 // of labels; one process has none
	if processes := recording.Processes(set); len(processes) > 1 {
		width = len("PROCESS ")
		for _, p := range processes {
			width = max(width, len(p.Label)+1)
		}
	}
	var printers []*transcript.Printer
	relay := newRelay()
	done.Read, err = filter.Follow(set, func(of *recording.Process) recording.Follower {
		label := ""
		if width > 0 {
			label = fmt.Sprintf("%*s ", width-1, of.Label)
		}
		p := transcript.NewLabelled(b, of.File, of.Scale.Nanoseconds, since(of), label, o)
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
	done.Masked = slices.ContainsFunc(printers, (*transcript.Printer).Masked)
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
