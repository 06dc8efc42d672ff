package timing

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const wantLog = `  0.000001 [1] > outer
  0.000002 [1]   > inner
  0.000003 [2] > inner
  0.000014 [1]   < inner 12.000 us
  0.000015 [1]   > handed
  1.000016 [2]   < handed 1.000 s (entered on 1)
  1.000017 [3] ? inner: exit without enter
  1.000018 [1]   > handed
  1.000019 [1]   x handed: switched off before its exit
  1.000020 [2] < inner 1.000 s
  1.000021 [1] < outer 1.000 s
`

func TestLog(t *testing.T) {
	var out strings.Builder
	w, log := newWorld(), NewLog(&out, 3)
	w.AddHandler(log)
	outer, inner, handed := w.timer(t, "outer"), w.timer(t, "inner"), w.timer(t, "handed")
	us := time.Microsecond
	w.on(1, 1*us, outer.enterAny)
	w.on(1, 2*us, inner.enterAny)
	w.on(2, 3*us, inner.enterOwn)
	w.on(1, 14*us, inner.exitAny)
	w.on(1, 15*us, handed.enterAny)
	w.on(2, time.Second+16*us, handed.exitAny)
	w.on(3, time.Second+17*us, inner.exitAny)
	w.on(1, time.Second+18*us, handed.enterAny)
	w.on(1, time.Second+19*us, handed.Disable)
	w.on(2, time.Second+20*us, inner.exitOwn)
	w.on(1, time.Second+21*us, outer.exitAny)
	if out.String() != wantLog {
		t.Errorf("got\n%s\nwant\n%s", out.String(), wantLog)
	}
	lines := strings.Split(strings.TrimSuffix(wantLog, "\n"), "\n")
	if got := log.Entries(); len(got) != 3 || fmt.Sprint(got[0]) != lines[len(lines)-3] || fmt.Sprint(got[2]) != lines[len(lines)-1] {
		t.Errorf("kept %v, want the last three of\n%s", got, wantLog)
	}
	if len(log.depths) != 0 {
		t.Errorf("depths are left: %v, want none", log.depths)
	}
	log.Clear()
	if got := log.Entries(); len(got) != 0 {
		t.Errorf("after Clear there is %v, want nothing", got)
	}
	w.on(1, 2*time.Second, outer.enterAny)
	if got := log.Entries(); len(got) != 1 || got[0].Timer != outer || got[0].Kind != Enter {
		t.Errorf("then %v, want an enter of %v", got, outer)
	}
	for kind, want := range map[Kind]string{Enter: "enter", Exit: "exit", Stray: "stray", Dropped: "dropped", 9: "Kind(9)"} {
		if kind.String() != want {
			t.Errorf("%d is %s, want %s", kind, kind, want)
		}
	}
}
