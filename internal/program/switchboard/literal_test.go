package switchboard

import "testing"

func TestStandsIn(t *testing.T) {
	for _, c := range []struct {
		literal, function string
		want              bool
	}{
		{"example.com/m.F.func1", "example.com/m.F", true},
		{"example.com/m.F.func1.2", "example.com/m.F", true},
		{"example.com/m.F-range1", "example.com/m.F", true},
		{"example.com/m.F.func1-range2", "example.com/m.F", true},
		{"example.com/m.(*T).F.func1", "example.com/m.(*T).F", true},
		{"example.com/m.F[...].func1", "example.com/m.F[...]", true},
		{"example.com/m.init.0.func1", "example.com/m.init.0", true},
		{"example.com/m.G.F.func1", "example.com/m.F", true},
		{"example.com/m.F.F.func1.func2", "example.com/m.F", true},
		{"example.com/m.G.F.func1", "example.com/m.G", false},
		{"example.com/m.G.func1", "example.com/m.F", false},
		{"example.com/m.T.func1", "example.com/m.T.func1", false},
	} {
		if got := standsIn(c.literal, c.function); got != c.want {
			t.Errorf("%s stands in %s: %v, want %v", c.literal, c.function, got, c.want)
		}
	}
}
