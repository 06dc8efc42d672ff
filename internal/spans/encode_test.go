package spans

import (
	"fmt"
	"net/http"
	"testing"
	"time"
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

// Only large bodies are compressed, and those that are say so.
func TestCompressed(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:1", "grpc://127.0.0.1:1"} {
		for _, tt := range []struct {
			spans      int
			plain, zip bool
		}{{1, false, false}, {2000, false, true}, {2000, true, false}} {
			c, err := NewClient(Config{URL: url, Plain: tt.plain})
			if err != nil {
				t.Fatal(err)
			}
			list := make([]Span, tt.spans)
			for i := range list {
				list[i] = Span{Resource: NewResource("test"), Name: "main.handle"}
			}
			body, size := c.Encode(Of(list))
			h := make(http.Header)
			c.describe(h, body, time.Second)
			if zip := h.Get("Content-Encoding")+h.Get("Grpc-Encoding") == "gzip"; zip != tt.zip || (len(body) < size) != tt.zip {
				t.Errorf("%s, %+v: compressed %v, %d of %d bytes", url, tt, zip, len(body), size)
			}
		}
	}
}
