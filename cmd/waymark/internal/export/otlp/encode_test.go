package otlp

import (
	"fmt"
	"testing"
)

// BenchmarkEncode measures what it takes to make the body of a full request.
func BenchmarkEncode(b *testing.B) {
	var r Request
	resource := NewResource("benchmark")
	for i := range maxSpans {
		s := Span{Resource: resource, Trace: [16]byte{1}, ID: [8]byte{byte(i), byte(i >> 8), 1}, Name: fmt.Sprint("example.com/m.F", i%50), Start: int64(i) * 1e9, End: int64(i)*1e9 + 1}
		s.attributes.text("code.function.name", s.Name)
		s.attributes.text("code.file.path", "/home/user/src/example.com/m/f.go")
		s.attributes.number("code.line.number", int64(i))
		s.attributes.number("waymark.self_ns", int64(i)*12345)
		s.attributes.text("arg.n", fmt.Sprint(i*i))
		r.Add(&s)
	}
	for _, p := range []protocol{jsonOverHTTP(""), grpc{}} {
		b.Run(fmt.Sprintf("%T", p), func(b *testing.B) {
			for b.Loop() {
				_, size := p.encode(&r)
				b.SetBytes(int64(size))
			}
		})
	}
	b.Run("Protobuf", func(b *testing.B) {
		for b.Loop() {
			b.SetBytes(int64(len(r.Protobuf())))
		}
	})
}
