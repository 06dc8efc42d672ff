package budget

import "testing"

func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		limit         Limit
		given, counts bool
	}{{Limit{}, false, false}, {Limit{Text: "0%"}, true, true}, {Limit{Text: "10%", Share: 0.1}, true, false}} {
		if tt.limit.Given() != tt.given || tt.limit.CountsOnly() != tt.counts {
			t.Errorf("%+v: given %t, counts only %t", tt.limit, tt.limit.Given(), tt.limit.CountsOnly())
		}
	}
}
