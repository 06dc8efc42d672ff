package tracefile

import (
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Event has the memory of format.Event, and the constants have the values of package format: asEvents
// and conversions rely on it.
func TestEventIsThatOfFormat(t *testing.T) {
	got, want := reflect.TypeOf(Event{}), reflect.TypeOf(format.Event{})
	if got.Size() != want.Size() || got.NumField() != want.NumField() {
		t.Fatalf("%v has %d bytes and %d fields, %v %d and %d", got, got.Size(), got.NumField(), want, want.Size(), want.NumField())
	}
	for i := 0; i < want.NumField(); i++ {
		g, w := got.Field(i), want.Field(i)
		if g.Name != w.Name || g.Offset != w.Offset || g.Type.Kind() != w.Type.Kind() || g.Type.Size() != w.Type.Size() {
			t.Errorf("field %d: %s at %d of kind %v and %d bytes, want %s at %d, %v, %d",
				i, g.Name, g.Offset, g.Type.Kind(), g.Type.Size(), w.Name, w.Offset, w.Type.Kind(), w.Type.Size())
		}
	}
	for k := Enter; k <= Spawn; k++ {
		want := format.Kind(k).String()
		if k == Marker {
			want = "marker" // an info function's call
		}
		if k.String() != want {
			t.Errorf("kind %d is %v, want %v", k, k, want)
		}
	}
	if k := Spawn + 1; k.String() != "kind(15)" || format.Kind(k).String() != "kind(15)" {
		t.Errorf("kind %d is %v and %v, want none", k, k, format.Kind(k))
	}
	for _, s := range []struct {
		got  TestState
		want format.TestState
	}{
		{TestBegins, format.TestBegins}, {TestPauses, format.TestPauses}, {TestContinues, format.TestContinues},
		{TestPasses, format.TestPasses}, {TestFails, format.TestFails}, {TestSkips, format.TestSkips},
		{TestPanics, format.TestPanics}, {TestLogs, format.TestLogs}, {TestErrs, format.TestErrs},
	} {
		if s.got != TestState(s.want) {
			t.Errorf("state %d, want %d", s.got, s.want)
		}
	}
}
