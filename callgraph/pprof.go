package callgraph

import (
	"compress/gzip"
	"io"
)

// WritePprof writes the tree in pprof's format, compressed:
//
//	go tool pprof -http=: tree.pprof
//
// A sampled tree has the values samples, cpu and time, an exact tree has calls and time. Time is
// the one that pprof shows unless -sample_index names another. Notes are comments of the profile.
func (t *Tree) WritePprof(w io.Writer) error {
	z := gzip.NewWriter(w)
	if _, err := z.Write(t.profile()); err != nil {
		return err
	}
	return z.Close()
}

// The numbers of fields are those of profile.proto in github.com/google/pprof.
const (
	profileSampleType       = 1
	profileSample           = 2
	profileLocation         = 4
	profileFunction         = 5
	profileString           = 6
	profileTime             = 9
	profileDuration         = 10
	profileComment          = 13
	profileDefaultType      = 14
	valueType               = 1
	valueUnit               = 2
	sampleLocations         = 1
	sampleValues            = 2
	locationID              = 1
	locationLine            = 4
	lineFunction            = 1
	lineLine                = 2
	functionID              = 1
	functionName            = 2
	functionSystemName      = 3
	functionFile            = 4
	functionStart           = 5
	wireVarint         byte = 0
	wireBytes          byte = 2
)

// profile returns the tree as a message of protocol buffers.
func (t *Tree) profile() []byte {
	p := profileWriter{index: map[string]uint64{"": 0}, strings: []string{""}, functions: make(map[functionKey]uint64)}
	types := [][2]string{{"calls", "count"}, {"time", "nanoseconds"}}
	if t.Sampling != nil {
		types = [][2]string{{"samples", "count"}, {"cpu", "nanoseconds"}, {"time", "nanoseconds"}}
	}
	for _, v := range types {
		var m message
		m.number(valueType, p.text(v[0]))
		m.number(valueUnit, p.text(v[1]))
		p.out.bytes(profileSampleType, m)
	}
	t.Walk(func(path []*Node) {
		n := path[len(path)-1]
		list := functions(path)
		values := []uint64{uint64(n.Calls), uint64(n.Self())}
		if t.Sampling != nil {
			values = []uint64{uint64(n.SelfSamples()), uint64(n.SelfCPU()), uint64(n.Self())}
		}
		if len(list) == 0 || allZero(values) {
			return
		}
		var locations, numbers, m message
		for i := len(list) - 1; i >= 0; i-- { // innermost first
			locations.varint(p.function(&list[i].Func))
		}
		for _, v := range values {
			numbers.varint(v)
		}
		m.bytes(sampleLocations, locations)
		m.bytes(sampleValues, numbers)
		p.out.bytes(profileSample, m)
	})
	if !t.From.IsZero() {
		p.out.number(profileTime, uint64(t.From.UnixNano()))
		p.out.number(profileDuration, uint64(max(t.To.Sub(t.From), 0)))
	}
	for _, note := range t.Notes() {
		p.out.number(profileComment, p.text(note))
	}
	p.out.number(profileDefaultType, p.text("time"))
	for _, s := range p.strings {
		p.out.bytes(profileString, message(s))
	}
	return p.out
}

func allZero(list []uint64) bool {
	for _, v := range list {
		if v != 0 {
			return false
		}
	}
	return true
}

type functionKey struct {
	name, file string
	line       int
}

// A profileWriter writes each string and each function once.
type profileWriter struct {
	out       message
	index     map[string]uint64
	strings   []string
	functions map[functionKey]uint64
}

func (p *profileWriter) text(s string) uint64 {
	i, ok := p.index[s]
	if !ok {
		i = uint64(len(p.strings))
		p.index[s], p.strings = i, append(p.strings, s)
	}
	return i
}

// function returns the id of a function, which is also that of its only location.
func (p *profileWriter) function(f *Func) uint64 {
	key := functionKey{f.Name, f.File, f.Line}
	if id := p.functions[key]; id != 0 {
		return id
	}
	id := uint64(len(p.functions)) + 1
	p.functions[key] = id
	var function, line, location message
	function.number(functionID, id)
	function.number(functionName, p.text(f.Name))
	function.number(functionSystemName, p.text(f.Name))
	function.number(functionFile, p.text(f.File))
	function.number(functionStart, uint64(f.Line))
	p.out.bytes(profileFunction, function)
	line.number(lineFunction, id)
	line.number(lineLine, uint64(f.Line))
	location.number(locationID, id)
	location.bytes(locationLine, line)
	p.out.bytes(profileLocation, location)
	return id
}

// A message is a message of protocol buffers.
type message []byte

func (m *message) varint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		*m = append(*m, byte(v)|0x80)
	}
	*m = append(*m, byte(v))
}

func (m *message) number(field byte, v uint64) {
	*m = append(*m, field<<3|wireVarint)
	m.varint(v)
}

func (m *message) bytes(field byte, b message) {
	*m = append(*m, field<<3|wireBytes)
	m.varint(uint64(len(b)))
	*m = append(*m, b...)
}
