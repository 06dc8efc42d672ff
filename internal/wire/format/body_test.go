package format

import (
	"reflect"
	"testing"
)

// Bodies without columns, as those behind //line directives, are not known. Others are read as they were.
func TestBodies(t *testing.T) {
	known := Extent{Line: 3, Column: 12, EndLine: 5, EndColumn: 2}
	sites := []Site{{Line: 10, Body: Extent{Line: 10, EndLine: 12}}, {Line: 3, Body: known}, {Line: 7}}
	got := []Site{{Line: 10}, {Line: 3}, {Line: 7}}
	c := cursor{b: appendBodies(nil, sites)}
	c.bodies(got)
	if want := []Site{{Line: 10}, {Line: 3, Body: known}, {Line: 7}}; c.err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("sites %+v, %v, want %+v", got, c.err, want)
	}
	if b := appendBodies(nil, sites[:1]); len(b) > 0 {
		t.Errorf("of bodies without columns there are %d bytes, want none", len(b))
	}
}
