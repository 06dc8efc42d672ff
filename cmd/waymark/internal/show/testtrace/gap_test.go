package testtrace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of a test that ran long, some events were given back. Calls that went on meanwhile end when they
// end, the others are over.
func TestPrintGap(t *testing.T) {
	text := `
		7 begin TestA
		7 <1 A10 B20 C30 D40
		7 gap C30 123456
		7 C30 d40 c30
		7 err TestA
		7 b20 a10
		7 fail TestA`
	r := read(t, text)
	got := printed(t, r, r.Failed(), Options{More: "--output DIR"})
	want := `=== TestA failed after 22 ns
            [        7]  p.A() {
            [        7]    p.B() {
            [        7]      p.C() {
      11 ns [        7]        p.D(); /* end not recorded */
      12 ns [        7]      } /* p.C, end not recorded */
            [        7]      // ... 123,456 events reclaimed: the test ran long ...
       2 ns [        7]      p.C();
      17 ns [        7]    } /* p.B */
      19 ns [        7]  } /* p.A */
    left out: 123,456 events reclaimed; see all with --output DIR
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Nothing of the test was kept.
	r = read(t, "7 begin TestA\n7 gap A10 5\n7 fail TestA")
	if got := printed(t, r, r.Failed(), Options{}); !strings.Contains(got, "// ... 5 events reclaimed") {
		t.Errorf("nothing kept:\n%s", got)
	}
}

// Calls that the program counted stand below the tree of the test, with whose they may be.
func TestPrintCounted(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"alone", `
			6 begin TestBefore
			6 <1 A10 a10
			6 count D 7
			6 pass TestBefore
			7 begin TestA
			7 read D 1
			7 <1 A10 a10
			7 count D 1203441
			7 count B 1
			7 fail TestA
			7 read D 1
			8 count D 9`, `
    p.D: 1,203,442 calls more, not recorded
    p.B: 1 call more, not recorded
`},
		{"beside another one", `
			6 begin TestW
			6 pause TestW
			7 begin TestA
			8 begin TestB
			7 <1 A10 a10
			7 count D 5
			7 fail TestA
			8 pass TestB`, `
    p.D: 5 calls more, not recorded, with those of tests that ran at the same time
`},
		{"beside one that waits", `
			6 begin TestW
			6 pause TestW
			7 begin TestA
			7 <1 A10 a10
			7 count D 5
			7 fail TestA
			6 continue TestW
			6 pass TestW`, `
    p.D: 5 calls more, not recorded
`},
		{"read before and after it", `
			6 begin TestBefore
			6 count D 7
			6 pass TestBefore
			7 begin TestA
			7 <1 A10 a10
			7 fail TestA
			7 count D 9`, `
    p.D: 9 calls more, not recorded, with those of the 2 ns before it and the 1 ns after it
`},
		{"with subtests", `
			7 begin TestA
			7 <1 A10 a10
			8 begin TestA/x
			8 <7 A10 a10
			8 count D 5
			8 pass TestA/x
			7 fail TestA`, `
    p.D: 5 calls more, not recorded, with those of its subtests
`},
		{"no others", `
			7 begin TestA
			7 count A 1
			7 count B 2
			7 count C 3
			7 count D 4
			7 count E 5
			7 count F 6
			7 count G 7
			7 fail TestA`, `
    p.G: 7 calls more, not recorded
    p.F: 6 calls more, not recorded
    p.E: 5 calls more, not recorded
    p.D: 4 calls more, not recorded
    p.C: 3 calls more, not recorded
    2 functions more: 3 calls more, not recorded
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := read(t, c.text)
			got := printed(t, r, r.Failed(), Options{All: "-run %s"})
			want := c.want + "    all are recorded with -run '^TestA$'\n"
			if i := strings.Index(got, "\n    p."); i < 0 || got[i:] != want {
				t.Errorf("got\n%s\nwant in the end%s", got, want)
			}
		})
	}
}

// A counted call that took long stands around what it called, as if it had been recorded, and is not
// among those that were not.
func TestPrintLong(t *testing.T) {
	r := read(t, `
		7 begin TestA
		7 <1 A10 C20 c20 +50 D40 d40 +60 ~B30,110 a10
		7 count B 18
		7 fail TestA`)
	got := printed(t, r, r.Failed(), Options{})
	want := `=== TestA failed after 120 ns
            [        7]  p.A() {
       1 ns [        7]    p.C();
            [        7]    p.B() {
       1 ns [        7]      p.D();
     110 ns [        7]    } /* p.B */
     116 ns [        7]  } /* p.A */
    p.B: 17 calls more, not recorded
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
