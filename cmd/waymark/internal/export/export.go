// Package export writes recordings in the formats of other programs. Each format is a package below
// this one. Formats of events and of rows are made of what package calls tells, those of samples of
// what package paths tells.
package export

import (
	"fmt"
	"io"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/chrome"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/ctf"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/folded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/jsonlines"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/otlp"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/perfetto"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/pprof"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/speedscope"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/paths"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// Options say how recordings are written.
type Options struct {
	Goroutines bool              // pprof: samples have the goroutine as a label
	Progress   func(text string) // unless nil it is told now and then what has been done

	// Beside writes another file into the folder, of formats that are one; see Output.Beside.
	Beside func(name string, data []byte) error

	// Sink, unless nil, takes what is written of formats that can be sent; see Output.Sink.
	Sink otlp.Sink
}

// A Write writes the calls of a set that the filter shows. On an error, what could be read has been
// written, unless writing has failed.
type Write func(w io.Writer, set *tracefile.Set, filter *recording.Filter, o Options) ([]recording.Summary, error)

// A Format is one of Formats.
type Format struct {
	Name  string
	Write Write
	sent  bool   // also to a URL
	main  string // of a format that is a folder: the file in it that Write writes
}

// Folder reports whether the format is a folder of files.
func (f *Format) Folder() bool { return f.main != "" }

// Formats are those that are made of the model of recordings.
var Formats = []Format{
	{Name: "json", Write: Stream(jsonlines.Write)},
	{Name: "folded", Write: writeFolded},
	{Name: "speedscope", Write: Stream(speedscope.Write)},
	{Name: "chrome", Write: Stream(chrome.Write)},
	{Name: "pprof", Write: writePprof},
	{Name: "perfetto", Write: Stream(perfetto.Write)},
	{Name: "ctf", Write: writeCTF, main: ctf.Stream},
	{Name: "otlp", Write: writeOTLP, sent: true},
}

// Stream returns the Write of a format of calls.
func Stream(write func(io.Writer, *tracefile.Set, *recording.Filter, calls.Options) ([]recording.Summary, error)) Write {
	return func(w io.Writer, set *tracefile.Set, filter *recording.Filter, o Options) ([]recording.Summary, error) {
		return write(w, set, filter, o.calls())
	}
}

func writeCTF(w io.Writer, set *tracefile.Set, filter *recording.Filter, o Options) ([]recording.Summary, error) {
	return ctf.Write(w, o.Beside, set, filter, o.calls())
}

func writeOTLP(w io.Writer, set *tracefile.Set, filter *recording.Filter, o Options) ([]recording.Summary, error) {
	to := o.Sink
	if to == nil {
		to = otlp.Lines{Writer: w}
	}
	return otlp.Write(to, set, filter, o.calls())
}

// calls returns the options for formats of calls.
func (o *Options) calls() (tell calls.Options) {
	if o.Progress != nil {
		tell.Progress = func(done, all time.Duration) {
			o.Progress(fmt.Sprintf("exporting, %d %% of %s", 100*done/max(all, 1), units.Duration(int64(all))))
		}
	}
	return tell
}

// read adds up what formats of samples want.
func read(set *tracefile.Set, filter *recording.Filter, o Options) (*paths.Tree, []recording.Summary, error) {
	return paths.Read(set, filter, paths.Options{Goroutines: o.Goroutines, Progress: func(read, all uint64) {
		if o.Progress != nil {
			o.Progress(fmt.Sprintf("exporting, %d %% of %d million events", 100*read/max(all, 1), all/1e6))
		}
	}})
}

func writeFolded(w io.Writer, set *tracefile.Set, filter *recording.Filter, o Options) ([]recording.Summary, error) {
	tree, summaries, err := read(set, filter, o)
	if tree == nil {
		return nil, err
	}
	if writeErr := folded.Write(w, tree); writeErr != nil {
		err = writeErr
	}
	return summaries, err
}

func writePprof(w io.Writer, set *tracefile.Set, filter *recording.Filter, o Options) ([]recording.Summary, error) {
	tree, summaries, err := read(set, filter, o)
	if tree == nil {
		return nil, err
	}
	if writeErr := pprof.Write(w, tree, set, filter, recording.LacksBeside(summaries)); writeErr != nil {
		err = writeErr
	}
	return summaries, err
}
