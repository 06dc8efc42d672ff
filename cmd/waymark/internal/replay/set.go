package replay

import (
	"bufio"
	"fmt"
	"io"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/tracefile"
)

// Write prints the calls of all processes of a set that the filter lets through,
// and tells how many they were. On an error, what could be read has been printed.
func Write(w io.Writer, set *tracefile.Set, filter *report.Filter) (calls uint64, err error) {
	b := bufio.NewWriter(w)
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
		fmt.Fprintf(b, "%11s  %*s %9s   %s\n", "DURATION", width, "PROCESS", "GOROUTINE", "FUNCTION")
	} else {
		fmt.Fprintf(b, "%11s  %9s   %s\n", "DURATION", "GOROUTINE", "FUNCTION")
	}
	calls, err = filter.Follow(set, func(process int) (onEnter, onCall func(*calltree.Call)) {
		file := set.Processes[process]
		name := func(id uint32) string {
			if s, ok := file.Site(id); ok {
				return s.Name
			}
			return fmt.Sprintf("unknown function %d", id)
		}
		p := newPrinter(b, name, report.ScaleOf(file).Nanoseconds, filter.Min > 0, labels[process])
		return p.Enter, p.Call
	})
	if flushErr := b.Flush(); flushErr != nil {
		return calls, flushErr // the reader of the output has gone: not worth more words
	}
	return calls, err
}
