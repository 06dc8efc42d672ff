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
	const half = (SeenTables - SeenBits) / 2
	b[SeenBits] = 1 << 7
	b[SeenBits+1] = 1 << 1
	b[SeenBits+half] = 1 << 7
	return b, meta
}

func TestSeen(t *testing.T) {
	b, meta := seenFile(t)
	want := []SeenSite{
		{Site: Site{Name: "p.F", File: "p.go", Line: 1}, Package: "p", Watched: true, Called: true},
		{Site: Site{Name: "p.info", File: "p.go", Line: 2}, Package: "p", Info: true},
		{Site: Site{Name: "q.G", File: "q.go", Line: 3}, Package: "q", Watched: true},
	}
	gotMeta, got, err := ParseSeen(b)
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotMeta, meta) {
		t.Errorf("%v, %v, %v; want %v, %v", gotMeta, got, err, meta, want)
	}
	first := SeenTables + len(AppendSeenTable(nil, 7, "")) // somewhere in the first table
	for n := range b {
		if n > SeenBits && n < SeenTables-1 {
			continue
		}
		meta, got, err := ParseSeen(b[:n])
		switch {
		case n == SeenTables || err == nil:
			if n < SeenTables || len(got) > 2 || err != nil {
				t.Errorf("%d bytes: %v, %v", n, got, err)
			}
		case n < len(SeenMagic):
			if !errors.Is(err, ErrNotSeen) {
				t.Errorf("%d bytes: %v, want %v", n, err, ErrNotSeen)
			}
		case !errors.Is(err, ErrDamaged) || n > first && meta == nil:
			t.Errorf("%d bytes: %v, %v; want %v", n, meta, err, ErrDamaged)
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
		if _, list, err := ParseSeen(file); err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotSeen) || len(list) > len(file) {
			t.Errorf("%d functions, %v", len(list), err)
		}
	})
}
