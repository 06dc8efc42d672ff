package actions

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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

// Copy returns a copy, which shares nothing that Add changes.
func (e *Element) Copy() Element {
	c := *e
	c.text = slices.Clip(c.text)
	return c
}

// Empty reports whether there is no action.
func (e *Element) Empty() bool { return len(e.text) == 0 }

// A Writer writes a file, one element after the other.
type Writer struct {
	w   io.Writer
	err error
}

const header = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// NewWriter returns a Writer that has written the beginning of the file. start is the time that keys
// count from, in ns since 1970; 0 if they don't.
func NewWriter(w io.Writer, start int64) *Writer {
	x := &Writer{w: w}
	head := header + "<trace-file unit=\"ns\""
	if start > 0 {
		head += " start=\"" + strconv.FormatInt(start, 10) + "\""
	}
	_, x.err = io.WriteString(w, head+">\n")
	return x
}

// Write writes an element. The error is the first one of the underlying writer.
func (w *Writer) Write(e *Element) error {
	b := append([]byte(nil), "  <trace key=\""...)
	b = appendText(b, []byte(e.Key))
	if e.Parent != "" {
		b = append(b, "\" parent=\""...)
		b = appendText(b, []byte(e.Parent))
	}
	b = append(b, "\" goroutine=\""...)
	b = strconv.AppendUint(b, e.Goroutine, 10)
	b = append(b, "\">"...)
	b = appendText(b, e.text)
	b = append(b, "</trace>\n"...)
	if w.err == nil {
		_, w.err = w.w.Write(b)
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

// appendText appends text of an element or an attribute. Bytes that XML can't have become U+FFFD.
func appendText(b, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '"':
			b = append(b, "&#34;"...)
		case r == '\'':
			b = append(b, "&#39;"...)
		case r == '\t' || r == '\n' || r == '\r':
			b = append(strconv.AppendInt(append(b, "&#"...), int64(r), 10), ';')
		case r < ' ' || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError && size == 1:
			b = utf8.AppendRune(b, utf8.RuneError)
		default:
			b = append(b, text[:size]...)
		}
		text = text[size:]
	}
	return b
}
