package calltree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
)

// TestLong checks what becomes of counted calls that took long. Each event takes a tick, besides
// those that +N adds.
func TestLong(t *testing.T) {
	for _, tt := range []struct {
		name, events string
		tree, rows   string // A2/30/10(...): calls, total and self; rows have the sum and Long too
		opt          Options
	}{
		{"its time is its caller's", "A10 +50 ~B20,40 a10 .", "A1/52/52(B1/40/0)", "A1/52/52/52/0 B1/40/0/40/1", Options{}},
		{"what it called came before", "A10 +5 C30 +30 c30 +5 ~B20,40 a10 .", "A1/44/13(C1/31/31 B1/40/0)", "A1/44/13/44/0 B1/40/0/40/1 C1/31/31/31/0", Options{}},
		{"a root call", "+50 ~B20,40 ~B20,10 .", "B2/50/0", "B2/50/0/50/2", Options{}},
		{"longer than the recording", "A10 ~B20,1000 a10 .", "A1/2/2(B1/2/0)", "A1/2/2/2/0 B1/2/0/2/1", Options{}},
		{"it shows that others are over", "A10 C30 +5 ~B20,3 a10 .", "A1/8/2(C1/6/6 B1/3/0)", "A1/8/2/8/0 B1/3/0/3/1 C1/6/6/6/0", Options{}},
		{"recursion of counted calls", "+50 ~B40,10 ~B30,20 ~C25,25 ~B20,40 ~B20,5 .", "B4/75/0 C1/25/0", "B4/45/0/75/4 C1/25/0/25/1", Options{}},
		{"recursion of a recorded call", "B10 +50 ~B20,40 b10 .", "B1/52/52(B1/40/0)", "B2/52/52/92/1", Options{}},
		{"siblings of one frame", "+50 ~B20,10 ~C20,10 ~B20,20 .", "B2/30/0 C1/10/0", "B2/20/0/30/2 C1/10/0/10/1", Options{}},
		{"too short for the filter", "A10 +50 ~B20,40 ~B20,30 a10 .", "A1/53/53(B1/40/0)", "A1/53/53/53/0 B1/40/0/40/1", Options{Min: 35}},
		{"cut to the window", "A10 +50 ~B20,40 ~B20,1 a10 .", "A1/24/24(B2/23/0)", "A1/24/24/24/0 B2/23/0/23/2", Options{From: 30}},
		{"ended before the window", "A10 +50 ~B20,40 +50 a10 .", "A1/43/43", "A1/43/43/43/0", Options{From: 60}},
		{"a function that is left out", "A10 +50 ~B20,40 a10 .", "A1/52/52", "A1/52/52/52/0", Options{Keep: func(site uint32) bool { return site != 2 }}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tree(t, tt.events, tt.opt); got != tt.tree {
				t.Errorf("%s\n got %s\nwant %s", tt.events, got, tt.tree)
			}
			_, r := build(t, tt.events, tt.opt)
			var rows []string
			for _, row := range r.Rows {
				rows = append(rows, fmt.Sprintf("%c%d/%d/%d/%d/%d", 'A'+row.Key-1, row.Calls, row.Total, row.Self, row.Sum, row.Long))
			}
			if got := strings.Join(rows, " "); got != tt.rows {
				t.Errorf("%s\n got %s\nwant %s", tt.events, got, tt.rows)
			}
			if r.Problems.Unmatched+r.Problems.Unknown > 0 {
				t.Errorf("problems %+v", r.Problems)
			}
		})
	}
}

// TestLongTold checks that OnCall is told of long calls, at their ends.
func TestLongTold(t *testing.T) {
	var got []string
	o := Options{OnEnter: func(*Call) { got = append(got, "enter") }, OnCall: func(c *Call) {
		got = append(got, fmt.Sprintf("%d at %d, %d..%d flags %d self %d", c.Site, c.Depth, c.Start, c.End, c.Flags, c.Self))
	}}
	events, err := calltreetest.Events("A10 +50 ~B20,40 a10 .")
	if err != nil {
		t.Fatal(err)
	}
	b := New(o)
	for _, ev := range events {
		b.Add(&ev)
	}
	b.Close(0)
	want := fmt.Sprintf("enter; 2 at 1, 12..52 flags %d self 0; 1 at 0, 1..53 flags 0 self 52", Long)
	if got := strings.Join(got, "; "); got != want {
		t.Errorf(" got %s\nwant %s", got, want)
	}
}

// TestLongMany checks that a goroutine remembers a bounded number of long calls.
func TestLongMany(t *testing.T) {
	events := strings.Repeat("+100 ~B20,100 ", 3*maxLongs)
	_, r := build(t, events, Options{})
	if len(r.Rows) != 1 || r.Rows[0].Total != 3*maxLongs*100 || r.Rows[0].Long != 3*maxLongs {
		t.Errorf("rows %+v, want %d calls of 100 ticks", r.Rows, 3*maxLongs)
	}
}
