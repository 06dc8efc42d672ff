package format

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// seenFile returns a file with two packages, of which p.F was called.
func seenFile(t testing.TB) (b []byte, meta []KeyValue) {
	meta = []KeyValue{{MetaProgram, "app"}, {MetaBuild, "one"}}
	b, err := AppendSeenHead(nil, meta)
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, make([]byte, SeenTables-len(b))...)
	p := []Site{{Name: "p.F", File: "p.go", Line: 1}, {Name: "p.info", File: "p.go", Line: 2}}
	facility := Facility{Functions: []TracedFunction{{Name: "info", Site: 1, Info: InfoNone}}}
	b = AppendSeenTable(b, 7, string(AppendFacility(AppendTable(nil, "p", p), p, facility)))
	b = AppendSeenTable(b, 9, string(AppendTable(nil, "q", []Site{{Name: "q.G", File: "q.go", Line: 3}})))
	b = AppendSeenTest(b, SeenTest{"p", "TestF", true, []uint32{7, 9}})
	const half = (SeenTables - SeenBits) / 2
	b[SeenBits] = 1 << 7
	b[SeenBits+1] = 1 << 1
	b[SeenBits+half] = 1 << 7
	return b, meta
}

func TestSeen(t *testing.T) {
	b, meta := seenFile(t)
	want := []SeenSite{
		{Site: Site{Name: "p.F", File: "p.go", Line: 1}, ID: 7, Package: "p", Watched: true, Called: true},
		{Site: Site{Name: "p.info", File: "p.go", Line: 2}, ID: 8, Package: "p", Info: true},
		{Site: Site{Name: "q.G", File: "q.go", Line: 3}, ID: 9, Package: "q", Watched: true},
	}
	whole := &SeenFile{Meta: meta, Sites: want, Tests: []SeenTest{{"p", "TestF", true, []uint32{7, 9}}}}
	if got, err := ParseSeen(b); err != nil || !reflect.DeepEqual(got, whole) {
		t.Errorf("%v, %v; want %v", got, err, whole)
	}
	first := SeenTables + len(AppendSeenTable(nil, 7, "")) // somewhere in the first table
	for n := range b {
		if n > SeenBits && n < SeenTables-1 {
			continue
		}
		got, err := ParseSeen(b[:n])
		switch {
		case n == SeenTables || err == nil:
			if n < SeenTables || len(got.Tests) > 0 || err != nil {
				t.Errorf("%d bytes: %v, %v", n, got, err)
			}
		case n < len(SeenMagic):
			if !errors.Is(err, ErrNotSeen) {
				t.Errorf("%d bytes: %v, want %v", n, err, ErrNotSeen)
			}
		case !errors.Is(err, ErrDamaged) || n > first && got == nil:
			t.Errorf("%d bytes: %v, %v; want %v", n, got, err, ErrDamaged)
		}
	}
	if _, err := AppendSeenHead(nil, []KeyValue{{MetaProgram, strings.Repeat("x", SeenBits)}}); err == nil {
		t.Error("a head that is too large is written")
	}
}

func FuzzSeen(f *testing.F) {
	b, _ := seenFile(f)
	f.Add(b[:SeenBits], b[SeenTables:])
	f.Fuzz(func(t *testing.T, head, tables []byte) {
		file := append(append(head[:len(head):len(head)], make([]byte, max(0, SeenTables-len(head)))...), tables...)
		got, err := ParseSeen(file)
		if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotSeen) || got != nil && len(got.Sites)+len(got.Tests) > len(file) {
			t.Errorf("%v, %v", got, err)
		}
	})
}
