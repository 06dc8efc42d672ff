package testtrace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/names"
)

// compared compares runs of TestA, of one recording or of several.
func compared(t *testing.T, texts ...string) string {
	t.Helper()
	var runs []*Run
	short := names.NewSet()
	for _, text := range texts {
		r := read(t, text)
		recording.AddNames(short, r.file)
		runs = append(runs, r.Runs("TestA")...)
	}
	passed, failed, err := Pair(runs, (*Run).Lacks)
	if err != nil {
		t.Fatal(err)
	}
	if passed == nil || failed == nil {
		t.Fatalf("passed: %v, failed: %v", passed, failed)
	}
	c, err := Compare(passed, failed, short)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	const passed = "7 begin TestA\n7 <1 A10 B20 b20 C20 D30 d30 c20 a10\n7 pass TestA\n"
	for _, tt := range []struct {
		name  string
		texts []string
		want  string // without the first lines
	}{
		{"the same calls", []string{passed, strings.ReplaceAll(passed, "pass", "fail")}, "4 calls alike, no difference\n"},
		{"another call, in one recording", []string{passed + "8 begin TestA\n8 <1 A10 B20 b20 C20 E30 e30 c20 a10\n8 fail TestA"}, `
@@ TestA, after 6 ns: other calls @@
  p.A() {
    p.C() {
-     p.D();
-   } /* p.C */
- } /* p.A */
+     p.E();
+   } /* p.C */
+ } /* p.A */
3 calls alike
`},
		{"a panic", []string{passed, "7 begin TestA\n7 <1 A10 B20 b20 C20 D30 !30\n7 panic TestA"}, `
@@ TestA, after 8 ns: other calls @@
  p.A() {
    p.C() {
      p.D() {
-     } /* p.D */
-   } /* p.C */
- } /* p.A */
+     } /* p.D, panic */
+   } /* p.C, panic */
+ } /* p.A, panic */
4 calls alike
`},
		{"goroutines in another order", []string{
			"7 begin TestA\n7 <1 A10\n8 <7 B10\n9 <7 C10\n8 b10\n9 c10\n7 a10\n7 pass TestA",
			"17 begin TestA\n17 <1 A10\n19 <17 C10 c10\n18 <17 B10 b10\n17 a10\n17 fail TestA"}, "3 calls alike, no difference\n"},
		{"a goroutine calls more", []string{
			"7 begin TestA\n7 <1 A10\n8 <7 B10 b10\n7 a10\n7 pass TestA",
			"7 begin TestA\n7 <1 A10\n8 <7 B10 b10 C10 c10\n7 a10\n7 fail TestA"}, `
@@ TestA, goroutine 1, after 6 ns: other calls @@
- // nothing more
+ p.C();
2 calls alike
`},
		{"calls after the test has ended", []string{
			"7 begin TestA\n7 <1 A10\n8 <7 B10\n7 a10\n7 pass TestA\n8 C20 c20 b10",
			"7 begin TestA\n7 <1 A10\n8 <7 B10 C20 c20 b10\n7 a10\n7 fail TestA"}, "2 calls alike, no difference\n"},
		{"a subtest", []string{
			"7 begin TestA\n7 <1 A10\n8 begin TestA/x\n8 <7 B10 C20 c20 b10\n8 pass TestA/x\n7 a10\n7 pass TestA",
			"7 begin TestA\n7 <1 A10\n8 begin TestA/x\n8 <7 B10 b10\n8 fail TestA/x\n7 a10\n7 fail TestA"}, `
@@ TestA/x, after 6 ns: other calls @@
  p.B() {
-   p.C();
- } /* p.B */
+ } /* p.B */
2 calls alike
`},
		{"calls that were counted in one run", []string{passed, "7 begin TestA\n7 <1 A10 B20 b20 C20\n7 count D 1\n7 c20 a10\n7 fail TestA"},
			"3 calls alike, no difference\n"},
	} {
		got := compared(t, tt.texts...)
		if _, rest, ok := strings.Cut(got, "\n+++ "); ok {
			_, got, _ = strings.Cut(rest, "\n")
		}
		if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// The run that passed may come after the one that failed, or be of another recording, but not of
// another package.
func TestPair(t *testing.T) {
	one, other := &Recording{Package: "p"}, &Recording{Package: "q"}
	run := func(r *Recording, o Outcome) *Run { return &Run{Test: &Test{Outcome: o}, Recording: r} }
	bad := &Run{Test: &Test{Outcome: Failed}, Recording: one} // its recording lacks calls
	for _, tt := range []struct {
		runs           []*Run
		passed, failed int // -1: none
	}{
		{nil, -1, -1},
		{[]*Run{run(one, Passed), run(one, Passed), run(one, Failed), run(one, Passed), run(one, Panicked)}, 1, 2},
		{[]*Run{run(one, Failed), run(one, Passed), run(one, Passed)}, 1, 0},
		{[]*Run{run(one, Skipped), run(one, Unended)}, -1, 1},
		{[]*Run{run(one, Passed), run(other, Failed)}, -1, 1},
		{[]*Run{run(one, Passed), run(other, Passed)}, 1, -1},
		{[]*Run{run(one, Passed), bad, run(one, Passed), run(one, Failed)}, 2, 3},
		{[]*Run{run(one, Passed), bad, run(one, Passed)}, 0, 1},
	} {
		passed, failed, err := Pair(tt.runs, func(r *Run) (bool, error) { return r == bad, nil })
		at := func(i int) *Run {
			if i < 0 {
				return nil
			}
			return tt.runs[i]
		}
		if err != nil || passed != at(tt.passed) || failed != at(tt.failed) {
			t.Errorf("%v: wrong pair", tt)
		}
	}
}
