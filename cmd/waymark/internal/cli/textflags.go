package cli

import (
	"io"
	"os"
	"strconv"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/replay"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/tracefile"
)

// textFlags say how text for people looks.
type textFlags struct{ names string }

func (f *textFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.names, "names", "short", "`FORM` of functions' names in text: short, as far as they stay unique, or full")
}

func (f *textFlags) check() error {
	s := setting.Find("names")
	if _, err := s.Parse(s.Flag, f.names); err != nil {
		return usagef("--%w%s", err, pattern.IsIt(f.names, s.Choices, 1))
	}
	return nil
}

// full reports whether names and lines are not shortened.
func (f *textFlags) full() bool { return f.names == "full" }

// style says how tables are written to w.
func (f *textFlags) style(w io.Writer) table.Style {
	return table.Style{Colour: colour(w), Width: f.width(w)}
}

// width returns how long lines may be on w, 0 if they may have any length.
func (f *textFlags) width(w io.Writer) int {
	if f.full() {
		return 0
	}
	return columns(w)
}

// calls returns how calls of recordings are written to w, with values of the given width.
func (f *textFlags) calls(w io.Writer, width int, files ...*tracefile.File) replay.Options {
	o := replay.Options{Columns: f.width(w), Width: width}
	if !f.full() {
		o.Names = names.NewSet()
		recording.AddNames(o.Names, files...)
	}
	return o
}

// isTerminal reports whether w is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colour reports whether to colour what is written to w: see no-color.org.
func colour(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// columns returns the width of the terminal w, 0 if w is no terminal or its width is unknown.
func columns(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n // as ls and others have it
	}
	n, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return n
}
