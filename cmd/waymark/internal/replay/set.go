package replay

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/tracefile"
)

// A Result says what has been printed.
type Result struct {
	Read   []report.Recording // what is known about the recordings
	Masked bool               // see Printer.Masked
}

// Write prints the calls of all processes of a set that the filter lets through,
// and gives what is known about them. On an error, what could be read has been printed.
func Write(w io.Writer, set *tracefile.Set, filter *report.Filter, o Options) (done Result, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	labels := make([]string, len(set.Processes)) // none for one
	if len(labels) > 1 {
		labels = report.Labels(set)
		width := len("PROCESS")
		for _, l := range labels {
			width = max(width, len(l))
		}
		for i, l := range labels {
			labels[i] = fmt.Sprintf("%*s ", width, l)
		}
	}
	var printers []*Printer
	relay := newRelay()
	done.Read, err = filter.Follow(set, func(process int) (onEnter, onCall func(*calltree.Call)) {
		file := set.Processes[process]
		p := newPrinter(b, file, report.ScaleOf(file).Nanoseconds, since(file, int64(set.Since(file))), labels[process], o)
		printers = append(printers, p)
		if process == 0 {
			p.head(len(labels[0]))
		}
		return relay.to(p.Enter), relay.to(p.Call)
	})
	relay.close()
	done.Masked = slices.ContainsFunc(printers, (*Printer).Masked)
	if flushErr := b.Flush(); flushErr != nil {
		return done, flushErr // the reader of the output has gone: not worth more words
	}
	return done, err
}
