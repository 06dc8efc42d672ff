package xmltrace

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// An Action says what a function does at a time.
type Action string

const (
	Start     Action = "START"
	End       Action = "END"
	Exception Action = "EXCEPTION" // it ends with a panic
)

// An Element is what a goroutine did in a trace.
type Element struct {
	Key       string
	Goroutine uint64
	Parent    string // the Key of the goroutine that has started it; "" if that is not in the trace

	text []byte
}

var escapes = strings.NewReplacer("%", "%25", "|", "%7C", ",", "%2C")

// Add adds an action at a time in ns since 1970.
func (e *Element) Add(unixNano int64, a Action, name string) {
	if len(e.text) > 0 {
		e.text = append(e.text, '|')
	}
	e.text = strconv.AppendInt(e.text, unixNano, 10)
	e.text = append(append(append(e.text, ','), a...), ',')
	e.text = append(e.text, escapes.Replace(name)...)
}

// Empty reports whether there is no action.
func (e *Element) Empty() bool { return len(e.text) == 0 }

// A Writer writes a file, one element after the other.
type Writer struct {
	w   io.Writer
	err error
}

// NewWriter returns a Writer that has written the beginning of the file.
func NewWriter(w io.Writer) *Writer {
	x := &Writer{w: w}
	_, x.err = io.WriteString(w, xml.Header+"<trace-file unit=\"ns\">\n")
	return x
}

// Write writes an element.
func (w *Writer) Write(e *Element) error {
	var b bytes.Buffer
	b.WriteString("  <trace key=\"")
	xml.EscapeText(&b, []byte(e.Key))
	if e.Parent != "" {
		b.WriteString("\" parent=\"")
		xml.EscapeText(&b, []byte(e.Parent))
	}
	fmt.Fprintf(&b, "\" goroutine=\"%d\">", e.Goroutine)
	xml.EscapeText(&b, e.text)
	b.WriteString("</trace>\n")
	if w.err == nil {
		_, w.err = b.WriteTo(w.w)
	}
	return w.err
}

// Close writes the end of the file.
func (w *Writer) Close() error {
	if w.err == nil {
		_, w.err = io.WriteString(w.w, "</trace-file>\n")
	}
	return w.err
}
