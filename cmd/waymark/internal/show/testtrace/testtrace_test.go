package testtrace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// testWords are states of tests in the notation of read.
var testWords = map[string]tracefile.TestState{
	"begin": tracefile.TestBegins, "pause": tracefile.TestPauses, "continue": tracefile.TestContinues,
	"pass": tracefile.TestPasses, "fail": tracefile.TestFails, "skip": tracefile.TestSkips, "panic": tracefile.TestPanics,
	"err": tracefile.TestErrs,
}

// read makes a recording of lines in the order of time. A line is a goroutine's
// number, and what happens on it. That is events in the notation of calltreetest,
// or one of testWords with a test's name. Or it is log with a test's name and a
// text.
func read(t *testing.T, text string) *Recording {
	t.Helper()
	rec := calltreetest.Recording{Tables: []calltreetest.Table{{Package: "example.com/m/p"}}}
	for c := 'A'; c <= 'Z'; c++ {
		rec.Tables[0].Sites = append(rec.Tables[0].Sites, format.Site{Name: "example.com/m/p." + string(c), File: "p.go", Line: 1})
	}
	clock := uint64(0)
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		goroutine, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		word, rest, _ := strings.Cut(what, " ")
		var id uint64
		fmt.Sscan(goroutine, &id)
		if state, ok := testWords[word]; ok || word == "log" {
			clock++
			ev := tracefile.TestEvent{Clock: clock, Goroutine: id, State: state, Name: rest}
			if word == "log" {
				ev.State = tracefile.TestLogs
				ev.Name, ev.Text, _ = strings.Cut(rest, " ")
			}
			rec.Tests = append(rec.Tests, ev)
			continue
		}
		switch word {
		case "count", "read": // read: at the same time as what is before it
			var site rune
			var calls uint64
			fmt.Sscanf(rest, "%c %d", &site, &calls)
			if word == "count" {
				clock++
			}
			rec.Counts = append(rec.Counts, calltreetest.Counts{Clock: clock, Sites: []format.Count{{Site: uint32(site-'A') + 1, Level: format.LevelCounted, Calls: calls}}})
			continue
		case "gap": // of the first test: the token that the goroutine unwound to, and its site; events that are missing
			var site rune
			var token uint32
			var events uint64
			fmt.Sscanf(rest, "%c%d %d", &site, &token, &events)
			clock += 10
			low := format.Low{Goroutine: id, Clock: clock, Token: token, Site: uint32(site-'A') + 1}
			rec.Gaps = append(rec.Gaps, format.Gap{Test: rec.Tests[0].Clock, From: clock - 9, To: clock, Events: events, Lows: []format.Low{low}})
			continue
		}
		events, err := calltreetest.Events("@" + goroutine + " " + what)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			ev.Clock += clock
			rec.Events = append(rec.Events, ev)
		}
		clock = rec.Events[len(rec.Events)-1].Clock
	}
	rec.End = clock + 1
	file, err := rec.Open()
	if err != nil {
		t.Fatal(err)
	}
	r := Open(file)
	if err := r.Read(); err != nil {
		t.Fatal(err)
	}
	return r
}

// printed prints tests without the columns' names and the goroutines.
func printed(t *testing.T, r *Recording, tests []*Test, o Options) string {
	t.Helper()
	var b bytes.Buffer
	o.Calls.Names = names.NewSet()
	recording.AddNames(o.Calls.Names, r.file)
	if err := r.Print(&b, tests, o); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, line := range strings.Split(b.String(), "\n") {
		if !strings.Contains(line, "DURATION") {
			out.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return strings.Trim(out.String(), "\n") + "\n"
}

func TestPrint(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a subtest comes before its test, which has called something too", `
			7 begin TestA
			7 <1 A10 B20 b20
			8 begin TestA/x
			8 <7 C10 c10
			8 err TestA/x
			8 fail TestA/x
			7 B20 b20 a10
			7 fail TestA
			9 begin TestB
			9 <1 D10 d10
			9 pass TestB`, `
=== TestA/x failed after 5 ns
       1 ns [        8]  p.C();

=== TestA failed after 14 ns
            [        7]  p.A() {
       1 ns [        7]    p.B();
       1 ns [        7]    p.B();
      11 ns [        7]  } /* p.A */
`},
		{"a test that did nothing but run subtests isn't worth a tree", `
			7 begin TestA
			7 <1 A10
			8 begin TestA/x/y
			8 <7 C10 c10
			8 fail TestA/x/y
			7 a10
			7 fail TestA`, `
=== TestA/x/y failed after 4 ns
       1 ns [        8]  p.C();
`},
		{"FailNow ends the calls, and the log says where", `
			7 begin TestA
			7 <1 A10 B20
			7 log TestA a_test.go:9: no
			7 err TestA
			7 /20 .
			7 fail TestA`, `
=== TestA failed after 8 ns
            [        7]  p.A() {
            [        7]    p.B() {
            [        7]      // a_test.go:9: no
       4 ns [        7]    } /* p.B, runtime.Goexit */
       5 ns [        7]  } /* p.A, runtime.Goexit */
`},
		{"parallel tests, with goroutines of theirs", `
			7 begin TestA
			7 pause TestA
			8 begin TestB
			8 pause TestB
			7 continue TestA
			8 continue TestB
			7 <1 A10
			8 <1 A10
			20 <8 C10
			21 <20 D10 d10
			7 a10
			20 c10
			8 a10
			7 pass TestA
			8 fail TestB`, `
=== TestB failed after 15 ns
            [        8]  p.A() {
       1 ns [       21]  p.D();
       5 ns [       20]  p.C();
       8 ns [        8]  } /* p.A */
`},
		{"the parent is unknown, but only one test is running", `
			6 begin TestW
			6 pause TestW
			7 begin TestA
			7 <1 A10 a10
			20 <19 C10 c10
			7 fail TestA`, `
=== TestA failed after 7 ns
       1 ns [        7]  p.A();
       1 ns [       20]  p.C();
`},
		{"the parent is unknown, and several tests are running", `
			6 begin TestW
			7 begin TestA
			7 <1 A10 a10
			20 <19 C10 c10
			7 fail TestA
			6 pass TestW`, `
=== TestA failed after 7 ns
       1 ns [        7]  p.A();

left out: 1 goroutine that began while several tests were running, and nothing tells whose
`},
		{"what a goroutine does when its test is over isn't the test's, nor another one's", `
			7 begin TestA
			7 <1 A10
			20 <7 C10 c10
			7 a10
			7 fail TestA
			8 begin TestB
			20 D10 d10
			8 <1 B10 b10
			8 fail TestB`, `
=== TestA failed after 7 ns
            [        7]  p.A() {
       1 ns [       20]  p.C();
       4 ns [        7]  } /* p.A */

=== TestB failed after 6 ns
       1 ns [        8]  p.B();
`},
		{"examples take turns on the main goroutine", `
			1 <0 Z10
			1 begin ExampleA
			1 A20 a20
			1 pass ExampleA
			1 B20 b20
			1 begin ExampleB
			1 C20 c20
			1 fail ExampleB
			1 z10`, `
=== ExampleB failed after 3 ns
       1 ns [        1]  p.C();
`},
		{"the program dies of a panic: the others that were running aren't to blame", `
			7 begin TestA
			8 begin TestB
			8 pause TestB
			9 begin TestC
			9 <1 C10
			7 <1 A10 B20 !20
			7 err TestA
			7 panic TestA`, `
=== TestA panicked after 11 ns
            [        7]  p.A() {
       3 ns [        7]    p.B(); /* panic */
       4 ns [        7]  } /* p.A, panic */
`},
		{"the program dies of a panic of a goroutine", `
			7 begin TestA
			7 <1 A10
			9 begin TestC
			9 <1 C10
			20 <7 B10 !10`, `
=== TestA did not end in 9 ns
            [        7]  p.A() {
       7 ns [        7]  } /* p.A, not ended */
       2 ns [       20]  p.B(); /* not ended, panic */
`},
		{"the program was ended", `
			7 begin TestA
			7 <1 A10 B20
			8 begin TestB
			8 pause TestB`, `
=== TestA did not end in 6 ns
            [        7]  p.A() {
       3 ns [        7]    p.B(); /* not ended */
       4 ns [        7]  } /* p.A, not ended */
`},
		{"nothing was traced", `
			7 begin TestA
			7 fail TestA`, `
=== TestA failed after 1 ns
    it called no traced function
`},
		{"a test that runs again", `
			7 begin TestA
			7 <1 A10 a10
			7 fail TestA
			8 begin TestA
			8 <1 B10 b10
			8 pass TestA`, `
=== TestA failed after 4 ns
       1 ns [        7]  p.A();
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := read(t, c.text)
			if diff := cmp.Diff(strings.TrimLeft(c.want, "\n"), printed(t, r, r.Failed(), Options{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Of a long test those lines are shown that lead to its failure. Some depth is given up only if a
// single step is long.
func TestPrintLimits(t *testing.T) {
	step := "7 B20 C30 D40 d40 c30 b20\n"
	loop := "7 begin TestA\n7 <1 A10\n" + strings.Repeat(step, 20) + "7 log TestA a_test.go:9: no\n7 err TestA\n" +
		strings.Repeat(step, 20) + "7 a10\n7 fail TestA"
	r := read(t, loop)
	got := printed(t, r, r.Tests, Options{Lines: 32, More: "replay --test %s FILE"})
	want := `=== TestA failed after 246 ns
            [        7]  p.A() {
            [        7]    p.B() {
            [        7]      p.C() {
       1 ns [        7]        p.D();
                          ... 74 lines ...
       1 ns [        7]        p.D();
       3 ns [        7]      } /* p.C */
       5 ns [        7]    } /* p.B */
` + strings.Repeat(`            [        7]    p.B() {
            [        7]      p.C() {
       1 ns [        7]        p.D();
       3 ns [        7]      } /* p.C */
       5 ns [        7]    } /* p.B */
`, 4) + `            [        7]    // a_test.go:9: no
            [        7]    p.B() {
            [        7]      p.C() {
       1 ns [        7]        p.D();
       3 ns [        7]      } /* p.C */
                          ... 97 lines ...
    left out: 171 lines; see all with replay --test TestA FILE
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("around a failure: %s", diff)
	}

	// One step that makes very many calls: what they are made of must do.
	long := "7 begin TestA\n7 <1 A10 B20\n" + strings.Repeat("7 C30 "+strings.Repeat("D40 d40 ", 50)+"c30\n", 3) + "7 b20 a10\n7 fail TestA"
	r = read(t, long)
	got = printed(t, r, r.Tests, Options{Lines: 32, More: "--lines 0"})
	want = `=== TestA failed after 312 ns
            [        7]  p.A() {
            [        7]    p.B() {
     101 ns [        7]      p.C();
     101 ns [        7]      p.C();
     101 ns [        7]      p.C();
     307 ns [        7]    } /* p.B */
     309 ns [        7]  } /* p.A */
    left out: 150 calls with 3 callers or more; see all with --lines 0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a long step: %s", diff)
	}
	got = printed(t, r, r.Tests, Options{Depth: 1, More: "--lines 0"})
	want = `=== TestA failed after 312 ns
     309 ns [        7]  p.A();
    left out: 154 calls with 1 caller or more; see all with --lines 0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a limit to the depth: %s", diff)
	}
}

// A long preparation gives up its depth, and not the call that went wrong, which comes last before
// the failure.
func TestPrintFailingStep(t *testing.T) {
	prepare := "7 B20 C30 " + strings.Repeat("D40 E50 e50 d40 ", 40) + "c30 b20\n"
	text := "7 begin TestA\n7 <1 A10\n" + prepare + prepare + "7 C20 D30 E40 F50 G60 g60 f50 e40 d30 c20\n" +
		"7 log TestA a_test.go:9: no\n7 err TestA\n7 a10\n7 fail TestA"
	r := read(t, text)
	got := printed(t, r, r.Tests, Options{Lines: 32, More: "--lines 0"})
	want := `=== TestA failed after 344 ns
            [        7]  p.A() {
            [        7]    p.B() {
     161 ns [        7]      p.C();
     163 ns [        7]    } /* p.B */
            [        7]    p.B() {
     161 ns [        7]      p.C();
     163 ns [        7]    } /* p.B */
            [        7]    p.C() {
            [        7]      p.D() {
            [        7]        p.E() {
            [        7]          p.F() {
       1 ns [        7]            p.G();
       3 ns [        7]          } /* p.F */
       5 ns [        7]        } /* p.E */
       7 ns [        7]      } /* p.D */
       9 ns [        7]    } /* p.C */
            [        7]    // a_test.go:9: no
     341 ns [        7]  } /* p.A */
    left out: 160 calls with 3 callers or more; of the step that failed all calls are shown; see all with --lines 0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Of a long text that a test logs, the beginning is enough among the calls, unless all lines are
// wanted.
func TestPrintLongLog(t *testing.T) {
	lines := []string{"a_test.go:9: " + strings.Repeat("é", 200), "two", "three", "four", "five"}
	wide := "a_test.go:9: " + strings.Repeat("é", 146) + "…"
	for _, c := range []struct {
		limit int
		text  string
		want  []string
	}{
		{80, strings.Join(lines, "\n"), []string{wide, "two", "three", "… 2 lines more"}},
		{80, strings.Join(lines[:4], "\n"), []string{wide, "two", "three", "four"}},
		{0, strings.Join(lines, "\n"), lines},
	} {
		r := read(t, "7 begin TestA\n7 <1 A10\n7 log TestA x\n7 err TestA\n7 a10\n7 fail TestA")
		r.Tests[0].logs[0].Text = c.text
		var want strings.Builder
		for _, line := range c.want {
			want.WriteString("            [        7]    // " + line + "\n")
		}
		if got := printed(t, r, r.Tests, Options{Lines: c.limit}); !strings.Contains(got, want.String()) {
			t.Errorf("limit %d:\n%s\nwant in it\n%s", c.limit, got, want.String())
		}
	}
}

func TestNamed(t *testing.T) {
	r := read(t, `
		7 begin TestA
		8 begin TestA/x
		8 pass TestA/x
		7 pass TestA
		9 begin TestAB
		9 pass TestAB`)
	for name, want := range map[string]int{"TestA": 2, "TestA/x": 1, "TestAB": 1, "Test": 0, "": 0} {
		if got := len(r.Named(name)); got != want {
			t.Errorf("%q: %d tests; want %d", name, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"TestA/x":      "TestA/x",
		"TestA/x_y#01": `'TestA/x_y#01'`,
		"TestA/it's":   `'TestA/it'\''s'`,
	} {
		if got := quote(name); got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
}
