// Package profile writes profiles in the format of pprof, uncompressed, one sample after the other:
//
//	p := profile.New(w)
//	p.Type("calls", "count")
//	p.Sample([]uint64{p.Function("main.f", "main.go", 3)}, []uint64{12})
//	err := p.Close("calls")
package profile

import (
	"io"
	"time"

	"github.com/waymark-go/waymark/internal/wire/protobuf"
)

// Numbers of fields in proto/profile.proto of github.com/google/pprof.
const (
	profileSampleType  protobuf.Number = 1
	profileSample      protobuf.Number = 2
	profileLocation    protobuf.Number = 4
	profileFunction    protobuf.Number = 5
	profileString      protobuf.Number = 6
	profileTime        protobuf.Number = 9
	profileDuration    protobuf.Number = 10
	profileComment     protobuf.Number = 13
	profileDefaultType protobuf.Number = 14

	valueTypeType protobuf.Number = 1
	valueTypeUnit protobuf.Number = 2

	sampleLocations protobuf.Number = 1
	sampleValues    protobuf.Number = 2
	sampleLabel     protobuf.Number = 3

	labelKey  protobuf.Number = 1
	labelText protobuf.Number = 2

	locationID   protobuf.Number = 1
	locationLine protobuf.Number = 4
	lineFunction protobuf.Number = 1
	lineLine     protobuf.Number = 2

	functionID         protobuf.Number = 1
	functionName       protobuf.Number = 2
	functionSystemName protobuf.Number = 3
	functionFile       protobuf.Number = 4
	functionStart      protobuf.Number = 5
)

// A Writer writes a profile. Its fields come in the order in which they are known: readers take them
// in any order.
type Writer struct {
	w         io.Writer
	err       error // the first one
	index     map[string]uint64
	strings   []string
	functions map[function]uint64

	sample, part protobuf.Message // used again
}

type function struct {
	name, file string
	line       int
}

// A Label is a property of a sample.
type Label struct{ Key, Text string }

// New returns a Writer of a profile to w.
func New(w io.Writer) *Writer {
	p := &Writer{w: w, index: make(map[string]uint64), functions: make(map[function]uint64)}
	p.text("") // is the first one
	return p
}

// Type adds a type to the values that each sample has, and their unit.
func (p *Writer) Type(name, unit string) {
	var m protobuf.Message
	m.Uint(valueTypeType, p.text(name))
	m.Uint(valueTypeUnit, p.text(unit))
	p.field(profileSampleType, m)
}

// Function returns the location of a function, which begins at a line of a file.
func (p *Writer) Function(name, file string, line int) uint64 {
	f := function{name, file, line}
	if id := p.functions[f]; id != 0 {
		return id
	}
	id := uint64(len(p.functions)) + 1 // of the function and of its only location
	p.functions[f] = id
	var m, at protobuf.Message
	m.Uint(functionID, id)
	m.Uint(functionName, p.text(name))
	m.Uint(functionSystemName, p.text(name))
	m.Uint(functionFile, p.text(file))
	m.Uint(functionStart, uint64(line))
	p.field(profileFunction, m)
	m = m[:0]
	m.Uint(locationID, id)
	at.Uint(lineFunction, id)
	at.Uint(lineLine, uint64(line))
	m.Message(locationLine, at)
	p.field(profileLocation, m)
	return id
}

// Sample adds a sample: its locations, innermost first, and a value of each type.
func (p *Writer) Sample(locations, values []uint64, labels ...Label) {
	p.sample = p.sample[:0]
	p.sample.Packed(sampleLocations, locations)
	p.sample.Packed(sampleValues, values)
	for _, l := range labels {
		p.part = p.part[:0]
		p.part.Uint(labelKey, p.text(l.Key))
		p.part.Uint(labelText, p.text(l.Text))
		p.sample.Message(sampleLabel, p.part)
	}
	p.field(profileSample, p.sample)
}

// Time says when the profile begins, and how long it is.
func (p *Writer) Time(start time.Time, length time.Duration) {
	var m protobuf.Message
	m.Uint(profileTime, uint64(start.UnixNano()))
	m.Uint(profileDuration, uint64(max(length, 0)))
	p.write(m)
}

// Comment adds a line that pprof -comments prints.
func (p *Writer) Comment(text string) {
	var m protobuf.Message
	m.Member(profileComment, p.text(text))
	p.write(m)
}

// Close writes what is left: the type of values that pprof shows unless -sample_index names another,
// and all strings. It returns the first error of writing. Closing w is up to the caller.
func (p *Writer) Close(shown string) error {
	var m protobuf.Message
	m.Uint(profileDefaultType, p.text(shown))
	for _, s := range p.strings {
		m.Text(profileString, s)
	}
	p.write(m)
	return p.err
}

// Err returns the first error of writing.
func (p *Writer) Err() error { return p.err }

// text returns the index of a string.
func (p *Writer) text(s string) uint64 {
	i, ok := p.index[s]
	if !ok {
		i = uint64(len(p.strings))
		p.index[s], p.strings = i, append(p.strings, s)
	}
	return i
}

// field writes a field that is a message.
func (p *Writer) field(number protobuf.Number, m protobuf.Message) {
	var head protobuf.Message
	head.Head(number, len(m))
	p.write(head)
	p.write(m)
}

func (p *Writer) write(m protobuf.Message) {
	if p.err == nil {
		_, p.err = p.w.Write(m)
	}
}
