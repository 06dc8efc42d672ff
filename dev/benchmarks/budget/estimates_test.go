package main

import (
	"math"
	"testing"
)

// Names of reports are found among those that perf prints.
func TestLinkerName(t *testing.T) {
	for _, tt := range []struct{ pkg, name, want string }{
		{"example.com/miss", "main.(*cache).get", "main.(*cache).get"},
		{"go.etcd.io/bbolt", "go.etcd.io/bbolt.(*Tx).write", "go.etcd.io/bbolt.(*Tx).write"},
		{"example.com/m/v2", "m.F[...].func1", "example.com/m/v2.F[...].func1"},
		{"example.com/m", "example.com/m.F[go.shape.int,example.com/n.G[go.shape.string]]", "example.com/m.F[...]"},
	} {
		if got := linkerName(tt.pkg, tt.name); got != tt.want {
			t.Errorf("%s of %s: %s, want %s", tt.name, tt.pkg, got, tt.want)
		}
	}
	if got := untyped("m.F[int,n.G[string]].func2"); got != "m.F[...].func2" {
		t.Errorf("untyped: %s", got)
	}
}

// The order counts of those that are far enough apart, and of others that should not be among them.
func TestSameOrder(t *testing.T) {
	of := func(shares ...float64) map[string]estimated {
		list := make(map[string]estimated)
		for i, share := range shares {
			list[string(rune('a'+i))] = estimated{self: share}
		}
		return list
	}
	truth := of(0.4, 0.2, 0.18, 0.1, 0.06, 0.02)
	for _, tt := range []struct {
		got  map[string]estimated
		want bool
	}{
		{truth, true},
		{of(0.3, 0.19, 0.2, 0.1, 0.06, 0.02), true}, // b and c are alike
		{of(0.2, 0.4, 0.18, 0.1, 0.06, 0.02), false},
		{of(0.4, 0.2, 0.18, 0.1, 0.02, 0.06), false},
	} {
		if got := sameOrder(truth, tt.got); got != tt.want {
			t.Errorf("%v: the same order: %v, want %v", tt.got, got, tt.want)
		}
	}
	if got := apart(truth, of(0.2, 0.4, 0.18, 0.1, 0.06, 0.02)); math.Abs(got-0.2) > 1e-9 {
		t.Errorf("%v of own time is other functions', want 0.2", got)
	}
}
