package recorder

import (
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/program/objects"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// A recording with objects has what was made since its begin, and objects are counted no longer.
func TestObjects(t *testing.T) {
	f := newFake(t)
	f.objects = []rt.Object{{Objects: 5, Bytes: 50}}
	r := f.start(Config{Objects: true})
	if !f.makes {
		t.Error("objects aren't counted")
	}
	f.objects[0] = rt.Object{Objects: 8, Bytes: 90}
	path := r.Path()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := []tracefile.TypeCount{{Type: objects.Untyped, Objects: 3, Bytes: 40}}
	if got := file.Objects(); !slices.Equal(got, want) || !file.Info().Objects || f.makes {
		t.Errorf("%v, objects %t, still counted %t; want %v, true, false", got, file.Info().Objects, f.makes, want)
	}
}

// A block has a bounded size, and the sum of all types.
func TestFewTypes(t *testing.T) {
	var list []format.TypeCount
	for i := 0; i < 100; i++ {
		list = append(list, format.TypeCount{Type: strings.Repeat("x", 1000) + string(rune('A'+i)), Objects: uint64(i + 1), Bytes: 8})
	}
	got := fewTypes(list)
	if n := len(format.AppendObjects(nil, 1<<62, got)); n > mostTypes || n < mostTypes-4000 {
		t.Errorf("a block of %d bytes", n)
	}
	sum := uint64(0)
	for _, t := range got {
		sum += t.Objects
	}
	if sum != 5050 || got[0].Objects != 100 || got[len(got)-1].Type != objects.Other {
		t.Errorf("%d objects; %d of the first type, %q is the last", sum, got[0].Objects, got[len(got)-1].Type)
	}
}

// A recording that ends by itself has objects counted no longer.
func TestObjectsOver(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		harm   func(f *fake, r *Recorder)
		types  int
	}{
		{"full", Config{MaxSize: 1_000_000}, func(*fake, *Recorder) {}, 1},
		{"no room for what it holds", Config{MaxSize: 1_000_000}, func(_ *fake, r *Recorder) { r.locked(r.cut) }, 1},
		{"failed", Config{}, func(f *fake, _ *Recorder) { f.setBroken() }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.pkg("p", 1)
			c.config.Objects = true
			r := f.start(c.config)
			f.objects = []rt.Object{{Objects: 8, Bytes: 90}}
			c.harm(f, r)
			for !r.Ended() {
				f.call(0, 1, 1, 1000)
			}
			if f.makes {
				t.Error("objects are counted")
			}
			file, err := tracefile.Open(r.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if got := file.Objects(); len(got) != c.types {
				t.Errorf("%d types, want %d", len(got), c.types)
			}
		})
	}
}
