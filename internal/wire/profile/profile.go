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
	profileSampleType  wire.Number = 1
	profileSample      wire.Number = 2
	profileLocation    wire.Number = 4
	profileFunction    wire.Number = 5
	profileString      wire.Number = 6
	profileTime        wire.Number = 9
	profileDuration    wire.Number = 10
	profileComment     wire.Number = 13
	profileDefaultType wire.Number = 14

	valueTypeType wire.Number = 1
	valueTypeUnit wire.Number = 2

	sampleLocations wire.Number = 1
	sampleValues    wire.Number = 2
	sampleLabel     wire.Number = 3

	labelKey  wire.Number = 1
	labelText wire.Number = 2

	locationID   wire.Number = 1
	locationLine wire.Number = 4
	lineFunction wire.Number = 1
	lineLine     wire.Number = 2

	functionID         wire.Number = 1
	functionName       wire.Number = 2
	functionSystemName wire.Number = 3
	functionFile       wire.Number = 4
	functionStart      wire.Number = 5
)

// A Writer writes a profile. Its fields come in the order in which they are known: readers take them
// in any order.
type Writer struct {
	w         io.Writer
	err       error // the first one
	index     map[string]uint64
	strings   []string
	functions map[function]uint64

	sample, part wire.Message // used again
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
	var m wire.Message
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
	var m, at wire.Message
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
	var m wire.Message
	m.Uint(profileTime, uint64(start.UnixNano()))
	m.Uint(profileDuration, uint64(max(length, 0)))
	p.write(m)
}

// Comment adds a line that pprof -comments prints.
func (p *Writer) Comment(text string) {
	var m wire.Message
	m.Member(profileComment, p.text(text))
	p.write(m)
}

// Close writes what is left: the type of values that pprof shows unless -sample_index names another,
// and all strings. It returns the first error of writing. Closing w is up to the caller.
func (p *Writer) Close(shown string) error {
	var m wire.Message
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
func (p *Writer) field(number wire.Number, m wire.Message) {
	var head wire.Message
	head.Head(number, len(m))
	p.write(head)
	p.write(m)
}

func (p *Writer) write(m wire.Message) {
	if p.err == nil {
		_, p.err = p.w.Write(m)
	}
}
