package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
)

// waiting is a program in which A waits itself and B in it, at a clock that is no multiple of ns.
func waiting(t *testing.T, known bool) *calltreetest.Recording {
	r := made(t, `
		A10 +5000 =2,3000,7,0 B20 +70 =4,33,10,2 =7,20,0,0 b20 B20 +90 =0,11,11,0 b20 +9000 a10
		@2 <1 D10 +100 _5`)
	r.Waiting, r.Hz = known, 2_300_000_000
	return r
}

// The parts of each time in JSON and CSV add up to it exactly.
func TestWaiting(t *testing.T) {
	for _, by := range []By{ByFunction, ByGoroutine} {
		r := New(Options{By: by, Waiting: true})
		if err := r.Read(join(t, waiting(t, true))); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Write(&b, JSON); err != nil {
			t.Fatal(err)
		}
		type row struct {
			Name         string
			Total        int64            `json:"total_ns"`
			Self         int64            `json:"self_ns"`
			Running      int64            `json:"running_ns"`
			Runnable     int64            `json:"runnable_ns"`
			Waiting      int64            `json:"waiting_ns"`
			Reasons      map[string]int64 `json:"waiting"`
			SelfRunning  int64            `json:"self_running_ns"`
			SelfRunnable int64            `json:"self_runnable_ns"`
			SelfWaiting  int64            `json:"self_waiting_ns"`
		}
		var got struct {
			Functions   []row
			ByGoroutine []row `json:"by_goroutine"`
		}
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		rows := append(got.Functions, got.ByGoroutine...)
		for _, row := range rows {
			sum := int64(0)
			for _, n := range row.Reasons {
				sum += n
			}
			if row.Running+row.Runnable+row.Waiting != row.Total || row.SelfRunning+row.SelfRunnable+row.SelfWaiting != row.Self || sum != row.Waiting || row.Waiting == 0 {
				t.Errorf("by %v: %+v", by, row)
			}
		}
		if want := map[By]int{ByFunction: 3, ByGoroutine: 2}[by]; len(rows) != want {
			t.Errorf("by %v: %d rows, want %d", by, len(rows), want)
		}

		b.Reset()
		if err := r.Write(&b, CSV); err != nil {
			t.Fatal(err)
		}
		if head, _, _ := strings.Cut(b.String(), "\n"); !strings.HasSuffix(head, ",recorded,running_ns,runnable_ns,waiting_ns,waiting_other_ns,waiting_channel_ns,"+
			"waiting_select_ns,waiting_lock_ns,waiting_network_ns,waiting_syscall_ns,waiting_sleep_ns,waiting_timer_ns,waiting_gc_ns,waiting_coroutine_ns,waiting_tracing_ns,waiting_cgo_ns,"+
			"waiting_waitgroup_ns,waiting_cond_ns,waiting_runtime_ns") {
			t.Errorf("head of CSV: %s", head)
		}
	}
}

// Text shows the parts if they are asked for and known.
func TestWaitingText(t *testing.T) {
	for _, tt := range []struct{ known, asked, want bool }{{true, true, true}, {true, false, false}, {false, true, false}} {
		for _, tree := range []bool{false, true} {
			r := New(Options{Waiting: tt.asked, Tree: tree})
			if err := r.Read(join(t, waiting(t, tt.known))); err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			var err error
			if tree {
				_, err = r.WriteTree(&b, Text)
			} else {
				err = r.Write(&b, Text)
			}
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Join(strings.Fields(b.String()), " ")
			shown := strings.Contains(words, "Running Runnable Waiting")
			if shown != tt.want {
				t.Errorf("%+v, tree %v: %s", tt, tree, b.String())
			}
			if reason := "channel 1.301 us"; strings.Contains(words, reason) != tt.want {
				t.Errorf("%+v, tree %v: %s; want %s: %v", tt, tree, b.String(), reason, tt.want)
			}
		}
	}
}

// Statistics have the parts without what goroutines waited for.
func TestWaitingStatistics(t *testing.T) {
	s := new(Statistics)
	err := json.Unmarshal([]byte(`{"functions":[
		{"name":"m.a","calls":1,"total_ns":100,"self_ns":100,"max_ns":100,"running_ns":90,"runnable_ns":10,"waiting_ns":0,"self_running_ns":90,"self_runnable_ns":10,"self_waiting_ns":0},
		{"name":"m.b","calls":1,"total_ns":90,"self_ns":90,"max_ns":90,"running_ns":20,"runnable_ns":0,"waiting_ns":70,"self_running_ns":20,"self_runnable_ns":0,"self_waiting_ns":70}]}`), &s.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	r := New(Options{Waiting: true, Sort: SortWaiting})
	r.AddStatistics(s)
	write := func(f Format) string {
		var b bytes.Buffer
		if err := r.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := write(Text)
	want := `Total time  Running  Runnable  Waiting  Calls  Function
  ----------  -------  --------  -------  -----  --------
       90 ns    20 ns      0 ns    70 ns      1  m.b
      100 ns    90 ns     10 ns     0 ns      1  m.a
`
	if !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if text := write(JSON); !strings.Contains(text, `"self_waiting_ns": 70`) || !strings.Contains(text, `"waiting": {}`) {
		t.Errorf("JSON:\n%s", text)
	}
}
