package format

import "testing"

func TestPointName(t *testing.T) {
	for name, want := range map[string]string{
		"enterMarshal": "marshal", "exitMarshal": "marshal", "marshalEnter": "marshal", "marshalExit": "marshal",
		"beginMarshal": "marshal", "marshalEnd": "marshal", "startMarshal": "marshal", "marshalStop": "marshal",
		"Stream.beginWrite": "Stream.write", "Stream.writeEnd": "Stream.write", "a.b.endWrite": "a.b.write",
		"ENTER_MARSHAL": "MARSHAL", "MARSHAL_EXIT": "MARSHAL", "enterHTTP": "HTTP", "HTTPExit": "HTTP", "enterA": "a", "aExit": "a", "enter_marshal": "marshal", "marshal-exit": "marshal", "enter-": "",
		"Stream.begin": "Stream", "Stream.end": "Stream", "begin": "", "EXIT": "", "End2": "2", "2end": "2",
		"endpoint": "endpoint", "send": "send", "append": "append", "starter": "starter", "Stream.weekend": "Stream.weekend",
		"weekEnd": "week", "endEnd": "end", "TheEND": "the", "THEEND": "THEEND",
		"note": "note", "": "", "Stream.": "Stream.", "enterÄnderung": "änderung", "écouteEnter": "écoute",
	} {
		if got := PointName(name); got != want {
			t.Errorf("%s belongs to %q, want %q", name, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for want, f := range map[string]TracedFunction{
		"F is it.":                                       {Name: "F", Doc: "F is it."},
		"Function T.M of package example.com/p.":         {Name: "T.M"},
		"Timing point T.write of package example.com/p.": {Name: "T.beginWrite", Info: InfoEnter},
	} {
		if got := f.Describe("example.com/p"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (GroupDoc{Name: "IO"}).Describe(); got != "Functions in group IO." {
		t.Errorf("got %q", got)
	}
}
