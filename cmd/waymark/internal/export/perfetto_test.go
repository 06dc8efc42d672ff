package export

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// fields are those of an encoded message, by number: numbers, and []byte.
type fields map[protowire.Number][]any

func decode(t *testing.T, b []byte) fields {
	t.Helper()
	out := make(fields)
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		var v any
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			v, n = protowire.ConsumeBytes(b)
		default:
			t.Fatalf("field %d is of kind %d", number, kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		out[number] = append(out[number], v)
	}
	return out
}

func (f fields) number(n protowire.Number) uint64 {
	if len(f[n]) == 0 {
		return 0
	}
	return f[n][0].(uint64)
}

func (f fields) bytes(n protowire.Number) []byte {
	if len(f[n]) == 0 {
		return nil
	}
	return f[n][0].([]byte)
}

func readPerfetto(t *testing.T, data []byte, ended *ends) map[string]sums {
	out, _ := readPerfettoStates(t, data, ended)
	return out
}

// readPerfettoStates reads a trace as its schema and the rules for sequences and interned data say. states
// are the slices on tracks below those of goroutines.
func readPerfettoStates(t *testing.T, data []byte, ended *ends) (out, states map[string]sums) {
	out, states = make(map[string]sums), make(map[string]sums)
	goroutines := make(map[uint64]bool) // tracks
	tracks := make(map[uint64]*stack)   // that have been described
	names, annotations := make(map[uint64]string), make(map[uint64]string)
	flows := make(map[uint64]uint64) // goroutines in which they begin
	goroutine := func(track uint64) uint64 { return track & (1<<48 - 1) }
	for i, p := range decode(t, data)[1] {
		packet := decode(t, p.([]byte))
		if state := packet.number(13); packet.number(10) != 1 || state != 2 && (i > 0 || state != 3) {
			t.Fatalf("packet %d of sequence %d has flags %d", i, packet.number(10), state)
		}
		if d := packet.bytes(60); d != nil {
			track := decode(t, d)
			if parent := track.number(5); parent != 0 && tracks[parent] == nil {
				t.Errorf("track of unknown parent %d", parent)
			}
			tracks[track.number(1)] = &stack{sums: out}
			if parent := track.number(5); goroutines[parent] {
				if name := string(track.bytes(2)); name != "not running" {
					t.Errorf("track %q below goroutine %d's", name, goroutine(parent))
				}
				tracks[track.number(1)].sums = states
			} else if parent != 0 {
				goroutines[track.number(1)] = true
			}
		}
		interned := decode(t, packet.bytes(12))
		for kind, list := range map[protowire.Number]map[uint64]string{2: names, 3: annotations} {
			for _, e := range interned[kind] {
				entry := decode(t, e.([]byte))
				list[entry.number(1)] = string(entry.bytes(2))
			}
		}
		e := packet.bytes(11)
		if e == nil {
			continue
		}
		event := decode(t, e)
		s := tracks[event.number(11)]
		if s == nil {
			t.Fatalf("event on unknown track %d", event.number(11))
		}
		at := int64(packet.number(8))
		for _, flow := range event[47] {
			flows[flow.(uint64)] = goroutine(event.number(11))
		}
		for _, flow := range event[48] {
			if flows[flow.(uint64)] == 0 {
				t.Errorf("flow %d ends and has not begun", flow)
			}
			ended.start(goroutine(event.number(11)), flows[flow.(uint64)])
			delete(flows, flow.(uint64))
		}
		switch event.number(9) {
		case 1:
			name, ok := names[event.number(10)]
			if !ok {
				t.Fatalf("name %d is not interned", event.number(10))
			}
			s.begin(seen(name), at)
		case 2:
			var self *int64
			var marks []string
			for _, a := range event[4] {
				annotation := decode(t, a.([]byte))
				name := annotations[annotation.number(1)]
				if annotation.number(2) == 1 {
					marks = append(marks, name)
				}
				if name == "self_ns" {
					n := int64(annotation.number(4))
					self = &n
				}
			}
			if goroutines[event.number(11)] {
				ended.call(goroutine(event.number(11)), s.innermost(), marks...)
			}
			s.end(t, "", at, self)
		}
	}
	for id, s := range tracks {
		if len(s.open) > 0 {
			t.Errorf("track %d ends with open calls %v", id, s.open)
		}
	}
	if len(flows) > 0 {
		t.Errorf("flows without end: %v", flows)
	}
	return out, states
}
