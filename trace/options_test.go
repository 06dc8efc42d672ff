package trace

import (
	"math"
	"testing"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// A range of statuses may be open at either end. An unknown status is in none.
func TestStatuses(t *testing.T) {
	for of, want := range map[HTTP]rt.Rule{
		{Least: 500}:                {Least: 500, Most: math.MaxUint32},
		{Most: 399}:                 {Least: 1, Most: 399},
		{Least: 400, Most: 499}:     {Least: 400, Most: 499},
		{Method: "POST", Path: "/"}: {Method: "POST", Path: "/"},
	} {
		o := Options{HTTP: []HTTP{of}}
		if got := o.rules()[0]; got != want {
			t.Errorf("%+v is %+v, want %+v", of, got, want)
		}
	}
}
