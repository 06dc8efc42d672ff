// Package pprof writes recordings in the profile format of pprof, compressed.
//
//	go tool pprof -top -sample_index=calls OUT
//
// Each path of calls is a sample with the values of paths.Measures. pprof shows self times: the
// cumulated ones of a function are its total time. The value total has the total time at the
// function itself, so it is to be read as flat.
package pprof

import (
	"compress/gzip"
	"io"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/paths"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/wire"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/tracefile"
)

// Numbers of fields in proto/profile.proto of github.com/google/pprof.
const (
	profileSampleType  = 1
	profileSample      = 2
	profileLocation    = 4
	profileFunction    = 5
	profileString      = 6
	profileTime        = 9
	profileDuration    = 10
	profileComment     = 13
	profileDefaultType = 14

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocations = 1
	sampleValues    = 2
	sampleLabel     = 3

	labelKey = 1
	labelStr = 2

	locationID   = 1
	locationLine = 4
	lineFunction = 1
	lineLine     = 2

	functionID         = 1
	functionName       = 2
	functionSystemName = 3
	functionFile       = 4
	functionStart      = 5
)

// A writer writes fields of the profile one after the other: readers take them in any order.
type writer struct {
	w       io.Writer
	err     error
	index   map[string]uint64
	strings []string
}

// Write writes a tree of the recordings of a set. Notes about them are comments of the profile.
func Write(out io.Writer, t *paths.Tree, set *tracefile.Set, filter *recording.Filter, notes []string) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := &writer{w: z, index: make(map[string]uint64)}
	w.text("")
	for _, m := range paths.Measures {
		var kind wire.Message
		kind.Uint(valueTypeType, w.text(m.Name))
		kind.Uint(valueTypeUnit, w.text(m.Unit))
		w.field(profileSampleType, kind)
	}
	w.samples(t)
	w.functions(t)

	start, length := set.Processes[0].Info().Start.Add(filter.From), set.Duration()
	if filter.To > 0 {
		length = min(length, filter.To)
	}
	var rest wire.Message
	rest.Uint(profileTime, uint64(start.UnixNano()))
	rest.Uint(profileDuration, uint64(max(length-filter.From, 0)))
	for _, note := range notes {
		rest.Member(profileComment, w.text(note))
	}
	rest.Uint(profileDefaultType, w.text(paths.Measures[paths.Self].Name))
	for _, s := range w.strings {
		rest.Text(profileString, s)
	}
	w.write(rest)
	if w.err != nil {
		return w.err
	}
	return z.Close()
}

// samples writes the samples. A function's only location has its index + 1.
func (w *writer) samples(t *paths.Tree) {
	var locations []uint64
	var values [len(paths.Measures)]uint64
	var m, label wire.Message
	add := func(key, value string) {
		label = label[:0]
		label.Uint(labelKey, w.text(key))
		label.Uint(labelStr, w.text(value))
		m.Message(sampleLabel, label)
	}
	t.Each(func(stack []int, n *paths.Node) {
		if w.err != nil {
			return
		}
		locations = locations[:0]
		for _, f := range stack {
			locations = append(locations, uint64(f)+1)
		}
		for i, v := range n.Values {
			values[i] = uint64(v)
		}
		m = m[:0]
		m.Packed(sampleLocations, locations)
		m.Packed(sampleValues, values[:])
		for _, group := range t.Functions[stack[0]].Groups {
			add("group", group)
		}
		if n.Goroutine != "" {
			add("goroutine", n.Goroutine)
		}
		if n.Counted {
			add("counted", "true")
		}
		w.field(profileSample, m)
	})
}

func (w *writer) functions(t *paths.Tree) {
	for i := range t.Functions {
		f := &t.Functions[i]
		id := uint64(i) + 1
		var m, line wire.Message
		m.Uint(functionID, id)
		m.Uint(functionName, w.text(f.Name))
		m.Uint(functionSystemName, w.text(f.Name))
		m.Uint(functionFile, w.text(f.File))
		m.Uint(functionStart, uint64(f.Line))
		w.field(profileFunction, m)
		m = m[:0]
		m.Uint(locationID, id)
		line.Uint(lineFunction, id)
		line.Uint(lineLine, uint64(f.Line))
		m.Message(locationLine, line)
		w.field(profileLocation, m)
	}
}

// text returns the index of a string.
func (w *writer) text(s string) uint64 {
	i, ok := w.index[s]
	if !ok {
		i = uint64(len(w.strings))
		w.index[s], w.strings = i, append(w.strings, s)
	}
	return i
}

// field writes a field that is a message.
func (w *writer) field(number wire.Number, m wire.Message) {
	var head wire.Message
	head.Head(number, len(m))
	w.write(head)
	w.write(m)
}

func (w *writer) write(m wire.Message) {
	if w.err == nil {
		_, w.err = w.w.Write(m)
	}
}
