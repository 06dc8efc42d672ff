package ctf

import (
	"fmt"
	"strings"
	"unicode"
)

// A description tells readers what events look like, and names functions.
type description struct {
	functions []string // names by number
	program   string
	start     int64 // of the first recording, ns since 1970
}

const layout = `
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.waymark.value; } := at_t;

trace {
	major = 1;
	minor = 8;
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint32_t stream_id;
	};
};

stream {
	id = 0;
	packet.context := struct {
		at_t timestamp_begin;
		at_t timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
	};
	event.header := struct {
		uint8_t id;
		at_t timestamp;
	};
	event.context := struct {
		uint32_t vpid;
		uint64_t goroutine;
	};
};
`

// members are those of the events, by class. Names of members have an underscore in front, as the
// format advises: readers drop it, and no name is a keyword.
var members = []struct{ name, fields string }{
	function: {"function", "uint32_t _number; string _name; string _package; string _file; uint32_t _line;"},
	started:  {"goroutine_start", "uint64_t _parent; string _func; string _file; uint32_t _line;"},
	begin:    {"begin", call},
	end:      {"end", "uint64_t _id; enum function _function; " + outcome},
	counted:  {"counted", call + " " + outcome},
}

const (
	call    = "uint64_t _id; uint64_t _caller; enum function _function; string _args;"
	outcome = "uint64_t _duration_ns; uint64_t _self_ns; uint64_t _self_runnable_ns; uint64_t _self_waiting_ns; string _marks; string _results; string _panic;"
)

// text returns the description.
func (d *description) text() []byte {
	var b strings.Builder
	b.WriteString("/* CTF 1.8 */\n")
	clock := max(d.start, 0)
	fmt.Fprintf(&b, "clock {\n\tname = waymark;\n\tfreq = 1000000000;\n\toffset_s = %d;\n\toffset = %d;\n};\n", clock/1e9, clock%1e9)
	b.WriteString(layout)
	fmt.Fprintf(&b, "\nenv {\n\ttracer_name = \"waymark\";\n\tprogram = %s;\n};\n\nenum function : uint32_t {\n", quoted(d.program))
	for i, name := range d.functions {
		fmt.Fprintf(&b, "\t%s = %d,\n", quoted(name), i)
	}
	if len(d.functions) == 0 {
		b.WriteString("\t\"none\" = 0,\n") // the format wants one at least
	}
	b.WriteString("};\n")
	for class, m := range members {
		fmt.Fprintf(&b, "\nevent {\n\tname = %q;\n\tid = %d;\n\tstream_id = 0;\n\tfields := struct { %s };\n};\n", m.name, class, m.fields)
	}
	return []byte(b.String())
}

// quoted returns a string literal of the description's language, which is C's. Readers differ in which
// characters they take without an escape, and in which escapes they know: others than these are
// replaced.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r):
			b.WriteRune('\ufffd')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
