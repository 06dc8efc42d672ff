package otlp

import (
	"strings"
	"testing"
)

func TestParseContext(t *testing.T) {
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	want := spanContext{[16]byte{0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c}, [8]byte{0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31}}
	for _, text := range []string{good, `Header: map["A-B": "x-y", "Traceparent": ["` + good + `"]]`, "-----" + good + "-", "00-" + strings.Repeat("0", 32) + "-" + good} {
		if c, ok := parseContext(text); !ok || c != want {
			t.Errorf("%s: %x, %v", text, c, ok)
		}
	}
	for _, text := range []string{
		"", "-", good[:len(good)-1], good[1:], good[2:], "01" + good[2:], strings.ToUpper(good[:3]) + "g" + good[4:], strings.Replace(good, "-b7", "+b7", 1),
		"00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
	} {
		if c, ok := parseContext(text); ok {
			t.Errorf("%q: %x", text, c)
		}
	}
}

// What a program has sent is kept until many more were sent.
func TestContexts(t *testing.T) {
	var c contexts
	told := func(i int) spanContext { return spanContext{span: [8]byte{byte(i), byte(i >> 8), byte(i >> 16), 1}} }
	span := spanContext{trace: [16]byte{1}}
	for i := range 3 * maxContexts {
		c.set(told(i), span)
		if n := len(c.recent) + len(c.older); n > 2*maxContexts {
			t.Fatalf("%d contexts", n)
		}
	}
	if last := 3*maxContexts - 1; *c.of(told(last)) != span || *c.of(told(last - maxContexts)) != span {
		t.Error("the last ones are gone")
	}
	if *c.of(told(0)) != told(0) {
		t.Error("the first one is still there")
	}
}
