package spans

import (
	"fmt"
	"testing"
)

// BenchmarkEncode measures what it takes to make the body of a full request.
func BenchmarkEncode(b *testing.B) {
	var r Request
	resource := NewResource("benchmark")
	for i := 0; i < MaxSpans; i++ {
		s := Span{Resource: resource, Trace: [16]byte{1}, ID: [8]byte{byte(i), byte(i >> 8), 1}, Name: fmt.Sprint("example.com/m.F", i%50), Start: int64(i) * 1e9, End: int64(i)*1e9 + 1}
		s.Attributes.Text("code.function.name", s.Name)
		s.Attributes.Text("code.file.path", "/home/user/src/example.com/m/f.go")
		s.Attributes.Number("code.line.number", int64(i))
		s.Attributes.Number("waymark.self_ns", int64(i)*12345)
		s.Attributes.Text("arg.n", fmt.Sprint(i*i))
		r.Add(&s)
	}
	for _, p := range []protocol{overHTTP{json: true}, overHTTP{}, grpc{}} {
		b.Run(fmt.Sprintf("%T%v", p, p), func(b *testing.B) {
			for n := 0; n < b.N; n++ {
				_, size := p.encode(&r, false)
				b.SetBytes(int64(size))
			}
		})
	}
	b.Run("Protobuf", func(b *testing.B) {
		for n := 0; n < b.N; n++ {
			b.SetBytes(int64(len(r.Protobuf())))
		}
	})
}
