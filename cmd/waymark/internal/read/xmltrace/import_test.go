package xmltrace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// document is a file as a tool for Java writes it.
const document = `<?xml version="1.0" encoding="UTF-8"?>
<!-- written by JDOM -->
<trace-file>
  <trace key="1226000000000-0">1226000000000,START,ParentMethod|1226000000010,START,ChildMethod1|1226000000020,START,GrandChildMethod1|1226000000030,END,GrandChildMethod1|1226000000040,END,ChildMethod1|1226000000050,START,ChildMethod2|1226000000060,EXCEPTION,ChildMethod2|1226000000100,END,ParentMethod</trace>
  <trace key="1226000000000-1">
    1226000000005,START,com.example.&lt;init&gt;|1226000000006,END,com.example.&lt;init&gt;
  </trace>
</trace-file>
`

func read(t *testing.T, text string) (calls map[string]int, damage, err error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f.xml")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, damage, err := Open(name)
	if f != nil && f.Path() != name {
		t.Errorf("the recording's name is %q, want %q", f.Path(), name)
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	calls = make(map[string]int)
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		if ev.Kind == tracefile.Enter {
			fn, _ := f.Func(ev.Site)
			calls[fn.Name]++
		}
	}
	if info, err := f.Verify(); err != nil || info.Damaged > 0 || !info.Complete {
		t.Errorf("%+v, %v; want a whole recording", info, err)
	}
	return calls, damage, events.Err()
}

func TestDocument(t *testing.T) {
	calls, damage, err := read(t, document)
	if damage != nil || err != nil {
		t.Fatal(damage, err)
	}
	for _, name := range []string{"ParentMethod", "ChildMethod1", "GrandChildMethod1", "ChildMethod2", "com.example.<init>"} {
		if calls[name] != 1 {
			t.Errorf("%d calls of %s, want 1, among %v", calls[name], name, calls)
		}
	}
}

// A file that is cut anywhere is read up to there, and the error says so. Within an entity that may be
// the end of the element before.
func TestCut(t *testing.T) {
	most, first := 0, strings.Index(document, "</trace>")
	for n := range len(document) - 1 { // the last byte is a line's end
		calls, damage, err := read(t, document[:n])
		if err != nil {
			if !errors.Is(err, tracefile.ErrNotTrace) || n > 120 {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		sum := 0
		for _, c := range calls {
			sum += c
		}
		most = max(most, sum)
		if n <= first && sum < most || n > first && sum < 4 || !errors.Is(damage, tracefile.ErrDamaged) {
			t.Fatalf("cut at %d: %d calls after %d, damage %v", n, sum, most, damage)
		}
	}
	if most != 5 {
		t.Errorf("%d calls at most, want 5", most)
	}
}

func TestBad(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		calls      int
		damaged    bool
		err        error
	}{
		{"empty", "", 0, false, tracefile.ErrNotTrace},
		{"no XML", "hello", 0, false, tracefile.ErrNotTrace},
		{"another element", "<html><body/></html>", 0, false, tracefile.ErrNotTrace},
		{"no traces", "<trace-file/>", 0, false, nil},
		{"an empty trace", `<trace-file><trace key="1"/></trace-file>`, 0, false, nil},
		{"no key", `<trace-file><trace>1,START,a|2,END,a</trace></trace-file>`, 1, false, nil},
		{"no action", `<trace-file><trace>1,START,a|x|2,END,a</trace></trace-file>`, 1, true, nil},
		{"an unknown action", `<trace-file><trace>1,BEGIN,a|2,START,b</trace></trace-file>`, 1, true, nil},
		{"a time before 1970", `<trace-file><trace>-1,START,a</trace></trace-file>`, 0, true, nil},
		{"a time too late", `<trace-file><trace>9223372036854775807,START,a</trace></trace-file>`, 0, true, nil},
		{"ends without beginnings", `<trace-file><trace>1,END,a|2,EXCEPTION,b|3,START,c</trace></trace-file>`, 1, false, nil},
		{"times that go back", `<trace-file><trace>5,START,a|3,START,b|2,END,b|9,END,a</trace></trace-file>`, 2, false, nil},
		{"another element inside", `<trace-file><meta><trace>1,START,a</trace></meta><trace>1,START,a<x>2</x></trace></trace-file>`, 1, false, nil},
		{"an unknown parent", `<trace-file><trace parent="9" goroutine="x">1,START,a</trace></trace-file>`, 1, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls, damage, err := read(t, tt.text)
			sum := 0
			for _, c := range calls {
				sum += c
			}
			if sum != tt.calls || (damage != nil) != tt.damaged || !errors.Is(err, tt.err) || tt.err == nil && err != nil {
				t.Errorf("%d calls, damage %v, error %v; want %d calls, damage %v, error %v", sum, damage, err, tt.calls, tt.damaged, tt.err)
			}
		})
	}
}

// What a recording is made in is gone when it is closed, or can't be made.
func TestTemporary(t *testing.T) {
	for _, text := range []string{document, "<html></html>"} {
		dir := t.TempDir()
		for _, name := range []string{"TMPDIR", "TMP"} { // of Unix and of Windows
			t.Setenv(name, dir)
		}
		read(t, text)
		if left, err := filepath.Glob(filepath.Join(dir, "waymark-xml*")); len(left) > 0 || err != nil {
			t.Errorf("of %.20q %q is left, %v; want nothing", text, left, err)
		}
	}
}
