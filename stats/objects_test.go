package stats

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
)

type thing struct{ _, _ int }

// at returns where the type of a value is described.
func at(v any) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&v)) }

// madeLines returns a line for each of the objects: type, package, function, path, objects and bytes.
func madeLines(list []Made) (lines []string) {
	for _, m := range list {
		f := "-"
		if m.Func != nil {
			f = m.Func.Name
		}
		lines = append(lines, fmt.Sprint(m.Type, " ", m.Package, " ", f, " ", m.Path, " ", m.Objects, " ", m.Bytes))
	}
	return lines
}

func TestObjects(t *testing.T) {
	s, c, _ := gathers(t)
	var g *Gathering
	for _, o := range []Options{{Objects: true}, {}, {Objects: true, Paths: true}} {
		g.Stop()
		var err error
		if g, err = s.begin(o); err != nil || c.makes != o.Objects {
			t.Fatalf("%+v: %v, objects counted %v", o, err, c.makes)
		}
	}
	c.calls[1], c.calls[2] = ended(1), ended(2)
	c.nodes, c.mallocs = nodes(), 100
	c.objects = []rt.Object{
		{Type: at(thing{}), Site: 1 + 1, Node: 1, Objects: 3, Bytes: 48},
		{Type: at(thing{}), Site: 1 + 1, Node: 1, Objects: 4, Bytes: 64}, // on another CPU
		{Type: at([]*thing{}), Site: 2 + 1, Node: 2, Objects: 5, Bytes: 120},
		{Type: at(thing{}), Site: 2 + 1, Node: 2 + mostNodes, Objects: 1, Bytes: 16},
		{Objects: 9, Bytes: 90},
		{Other: true, Objects: 2, Bytes: 20},
		{Own: true, Objects: 70, Bytes: 7000},
	}
	first := g.Snapshot()
	const pkg = "github.com/waymark-go/waymark/stats"
	want := []string{
		"untyped  - -1 9 90", pkg + ".thing " + pkg + " main.f 0 7 112", "[]*" + pkg + ".thing  main.g 1 5 120",
		"(other)  - -1 2 20", pkg + ".thing " + pkg + " main.g 2 1 16",
	}
	if got := madeLines(first.Objects); !reflect.DeepEqual(got, want) {
		t.Errorf("objects\n%q, want\n%q", got, want)
	}
	if first.HeapObjects != 100 || first.OwnObjects != 70 {
		t.Errorf("%d objects of the heap, %d waymark's own; want 100, 70", first.HeapObjects, first.OwnObjects)
	}
	types := []string{"untyped  - -1 9 90", pkg + ".thing " + pkg + " - -1 8 128", "[]*" + pkg + ".thing  - -1 5 120", "(other)  - -1 2 20"}
	if got := madeLines(first.Types()); !reflect.DeepEqual(got, types) {
		t.Errorf("types\n%q, want\n%q", got, types)
	}
	for i, want := range []uint64{7, 6} {
		if f := &first.Functions[i]; f.Objects != want {
			t.Errorf("%s made %d objects, want %d", f.Name, f.Objects, want)
		}
	}
	text := Text{Snapshot: first, Top: 2}
	if got := fmt.Sprint(text.Snapshot); !strings.Contains(got, "All objects constructed:") || !strings.Contains(got, "8  128 bytes  stats.thing\n") {
		t.Errorf("text lacks the objects:\n%s", got)
	}

	b, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var read Snapshot
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	if got := madeLines(read.Objects); !reflect.DeepEqual(got, want) || read.Functions[0].Objects != 7 || read.HeapObjects != 100 || read.OwnObjects != 70 {
		t.Errorf("JSON has objects\n%q, want\n%q", got, want)
	}
	for _, wrong := range []string{`{"objects":[{"path":0}]}`, `{"objects":[{"path":-1}]}`} {
		if err := json.Unmarshal([]byte(wrong), &read); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}

	// A difference has what was made since, and so has what follows a Reset.
	c.objects[0].Objects, c.objects[0].Bytes, c.mallocs = 4, 64, 101
	want = []string{pkg + ".thing " + pkg + " main.f 0 1 16"}
	c.nodes[1].Own.Calls++
	next := g.Snapshot().Since(first)
	if got := madeLines(next.Objects); !reflect.DeepEqual(got, want) || next.HeapObjects != 1 || next.OwnObjects != 0 {
		t.Errorf("difference %q, %d in the heap, %d own; want %q, 1, 0", got, next.HeapObjects, next.OwnObjects, want)
	}
	g.Reset()
	c.objects[4].Objects++
	if got := madeLines(g.Snapshot().Objects); !reflect.DeepEqual(got, []string{"untyped  - -1 1 0"}) {
		t.Errorf("after Reset %q, want one object without a type", got)
	}
}
