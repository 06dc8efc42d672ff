//go:build linux && amd64

package patch

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/value"
)

// variables are what the variables of marked lines of testdata/lines are, by n. Others of a line must be lost.
var variables = map[string]func(n int) map[string]string{
	"straight": straightly, "call": straightly, "branch": straightly,
	"loop": func(n int) map[string]string {
		v := straightly(n)
		delete(v, "sum") // it changes
		delete(v, "i")
		return v
	},
	"results": func(n int) map[string]string {
		v, sum := straightly(n), 0
		for _, name := range []string{"list", "node", "shape"} { // nothing needs them any more: they may be gone
			delete(v, name)
		}
		for i := range n % 4 {
			sum += i
		}
		v["sum"] = fmt.Sprint(sum)
		return v
	},
	"method": func(n int) map[string]string {
		return map[string]string{"a": fmt.Sprintf("&{owner:me amount:%d}", 10*n), "n": fmt.Sprint(n), "password": "***", "before": fmt.Sprint(10 * n)}
	},
	"escaped": func(n int) map[string]string {
		return map[string]string{"n": fmt.Sprint(n), "kept": fmt.Sprint(5 * n)}
	},
	"closure": func(n int) map[string]string {
		return map[string]string{"more": "7", "total": fmt.Sprint(n), "both": fmt.Sprint(n + 7)}
	},
	"inlined": func(n int) map[string]string {
		return map[string]string{"n": fmt.Sprint(n), "twice": fmt.Sprint(2 * n)}
	},
	"generic": func(n int) map[string]string { // of two types
		return map[string]string{"n": fmt.Sprint(n), "square": fmt.Sprint(n * n)}
	},
	"switched": func(n int) map[string]string {
		return map[string]string{"n": fmt.Sprint(n), "text": `"other"`, "half": fmt.Sprint(n / 2)}
	},
	"wide": func(n int) map[string]string {
		v := map[string]string{"n": fmt.Sprint(n), "p": fmt.Sprintf("{X:%d Y:%d}", n, -n)}
		for i, name := range strings.Split("abcdefgh", "") {
			v[name] = fmt.Sprint(n + i)
		}
		for i, name := range strings.Split("ijkl", "") {
			v[name] = fmt.Sprint(2*n + 4*i + 1)
		}
		return v
	},
	"deferred": func(n int) map[string]string {
		return map[string]string{"n": fmt.Sprint(n), "err": "<nil>", "r": fmt.Sprint(n)}
	},
	"floats": func(n int) map[string]string {
		half := float64(n) / 2
		return map[string]string{"n": fmt.Sprint(n), "half": fmt.Sprint(half), "third": fmt.Sprint(float32(n) / 4), "ok": fmt.Sprint(n%2 == 0), "z": fmt.Sprint(complex(half, 1)), "c": "context.Background"}
	},
}

func init() {
	variables["padded"] = func(n int) map[string]string {
		return map[string]string{"n": fmt.Sprint(n), "p": fmt.Sprintf("{ID:%d Name:%d Paid:%t Sum:%d}", n, n, n%2 == 0, n)}
	}
	variables["secret"] = func(n int) map[string]string { return map[string]string{"n": fmt.Sprint(n), "key": "***"} }
	variables["captured"] = func(n int) map[string]string {
		return map[string]string{"extra": fmt.Sprint(2*n + 1), "more": `"more"`} // the literal's own extra
	}
	halved := func(n int) map[string]string {
		return map[string]string{"n": fmt.Sprint(n), "half": fmt.Sprint(n / 2)}
	}
	only := func(n int) map[string]string { return map[string]string{"n": fmt.Sprint(n)} }
	variables["lock"], variables["unlock"], variables["early"] = halved, halved, halved
	variables["inner"] = func(n int) map[string]string {
		return map[string]string{"n": fmt.Sprint(n), "twice": fmt.Sprint(2 * n)}
	}
	variables["literal"] = func(n int) map[string]string { return map[string]string{"extra": fmt.Sprint(2 * n)} }
	for _, name := range []string{"atomic", "builder", "nested", "last", "condition", "typed", "case6"} {
		variables[name] = only
	}
	for i := range 10 {
		variables[fmt.Sprint("case", i)] = only
	}
	variables["looped"] = func(n int) map[string]string { return map[string]string{"n": fmt.Sprint(n)} }
}

func straightly(n int) map[string]string {
	s := fmt.Sprintf(`"s%d"`, n)
	v := map[string]string{"n": fmt.Sprint(n), "a": fmt.Sprint(3 * n), "b": fmt.Sprint(int8(n)), "s": s, "list": fmt.Sprintf("[%d %d %d]", n, n+1, n+2),
		"node": fmt.Sprintf("&{Name:s%d Next:&{Name:next Next:<nil>}}", n), "err": "<nil>", "shape": fmt.Sprintf("{side:%d}", n)}
	if n%3 == 0 {
		v["err"] = fmt.Sprintf("bad %d", n)
	}
	return v
}

// Each time that a line is reached is seen, with the variables that are there, on whatever build.
func TestLines(t *testing.T) {
	for _, build := range []struct {
		name string
		env  []string
		args []string
	}{
		{"plain", nil, nil},
		{"PIE", nil, []string{"-buildmode=pie"}},
		{"not optimised", nil, []string{"-gcflags=-N -l"}}, // the program's own package: that is compiled at once
		{"race", []string{"CGO_ENABLED=1"}, []string{"-race"}},
		{"go1.25.0", []string{"GOTOOLCHAIN=go1.25.0"}, nil},
		{"go1.27", []string{"GOTOOLCHAIN=go1.27.2"}, nil},
	} {
		t.Run(build.name, func(t *testing.T) {
			if build.name != "plain" && build.name != "not optimised" && !*long {
				t.Skip("compiles the standard library: make test-attach")
			}
			checkLines(t, builtOf(t, "lines", build.env, build.args...))
		})
	}
}

// markedLines returns the lines of a source that end with // @NAME.
func markedLines(t *testing.T, path string) map[string]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := make(map[string]int)
	for n, in := 1, bufio.NewScanner(f); in.Scan(); n++ {
		if _, name, ok := strings.Cut(in.Text(), "// @"); ok {
			lines[name] = n
		}
	}
	return lines
}

func checkLines(t *testing.T, program string) {
	w := start(t, program)
	target := w.attach()
	defer target.Close()
	v, err := target.Values(strings.Split(format.DefaultRedact, ","), capture.Limits{Bytes: 256, Depth: 2})
	if err != nil {
		t.Fatal(err)
	}
	var list []Wanted
	names := make(map[*Line]string)
	for name, n := range markedLines(t, "testdata/lines/main.go") {
		lines, left, err := v.Lines("main.go", n)
		if len(left) > 0 {
			t.Logf("%s: %v", name, left)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, l := range lines {
			if l.At != n {
				t.Logf("%s: at line %d, %d was asked for", name, l.At, n)
			}
			t.Logf("%s, in %s: %v; lost: %v", name, l.Name, l.Locals.Names(), l.Locals.Lost)
			names[l] = name
			list = append(list, Wanted{Func: l.Func, Line: l, Record: l.Record(trampoline.Record{Callers: 8})})
		}
	}
	report, err := target.Want(list)
	if err != nil || len(report.Refused) > 0 || len(report.Overlaps) > 0 {
		t.Fatal(err, report.Refused, report.Overlaps)
	}
	hits, right, wrong := make(map[string]int64), 0, 0
	follow := target.Follow()
	follow.Hit = func(c *Call) {
		name := names[c.Site.Line]
		hits[name]++
		if len(c.Stack) == 0 || target.Image.At(c.Stack[len(c.Stack)-1]) == nil {
			t.Errorf("%s: who called the function isn't known", name)
		}
		values, err := v.List(v.Args(c))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		n := -1
		for i, variable := range c.Site.Line.Locals.Names() {
			text := value.List(values[i:i+1], nil, false)
			text = strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
			if i, err := strconv.Atoi(text); variable == "n" && err == nil {
				n = i
			}
		}
		for i, variable := range c.Site.Line.Locals.Names() {
			if extra, err := strconv.Atoi(strings.Trim(value.List(values[i:i+1], nil, false), "()")); variable == "extra" && err == nil {
				n = extra / 2
			}
		}
		if n < 0 {
			return
		}
		want := variables[name](n)
		for i, variable := range c.Site.Line.Locals.Names() {
			text := value.List(values[i:i+1], nil, false)
			text = strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
			if want, known := want[variable]; known && text != want {
				if wrong++; wrong < 20 {
					t.Errorf("%s: %s is %s, want %s", name, variable, text, want)
				}
			} else if known {
				right++
			}
		}
	}
	rounds, times := 500, 2
	if *long {
		rounds, times = 4000, 12
	}
	var made map[string]int64
	for range times {
		made = w.followed(target, follow, rounds)
	}
	dropped := uint64(0)
	for s, n := range target.LineDrops() {
		hits[names[s.Line]] += int64(n)
		dropped += n
	}
	for name := range variables {
		if hits[name] != made[name] || made[name] == 0 {
			t.Errorf("%s was reached %d times: seen %d times", name, made[name], hits[name])
		}
	}
	t.Logf("%d values right, %d wrong, %d times dropped", right, wrong, dropped)
	if right == 0 {
		t.Error("no value was seen")
	}
	w.undone(target)
	w.end()
}

// A function whose calls are only counted leaves its ends to lines.
func TestCountedLines(t *testing.T) {
	w := start(t, builtOf(t, "lines", nil))
	target := w.attach()
	defer target.Close()
	v, err := target.Values(nil, capture.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var list []Wanted
	atEnds := make(map[*Line]string)
	counted := make(map[*image.Func]bool)
	for name, n := range markedLines(t, "testdata/lines/main.go") {
		lines, _, err := v.Lines("main.go", n)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			list = append(list, Wanted{Func: l.Func, Line: l, Record: trampoline.Record{Line: true}})
			if !counted[l.Func] {
				counted[l.Func] = true
				list = append(list, Wanted{Func: l.Func, Record: trampoline.Record{Count: true}})
			}
			of, err := displace.Of(l.Func)
			if err != nil || len(lines) > 1 {
				continue
			}
			for _, exit := range of.Exits {
				if place := l.plan.Entry; exit.At() < place.End() && place.At() < exit.End() {
					atEnds[l] = name
				}
			}
		}
	}
	if len(atEnds) == 0 {
		t.Fatal("no line is at a function's end")
	}
	report, err := target.Want(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range report.Overlaps {
		if name := atEnds[l]; name != "" {
			t.Errorf("%s is not seen", name)
		}
	}
	hits := make(map[string]int64)
	follow := target.Follow()
	follow.Hit = func(c *Call) { hits[atEnds[c.Site.Line]]++ }
	made := w.followed(target, follow, 100)
	for s, n := range target.LineDrops() {
		hits[atEnds[s.Line]] += int64(n)
	}
	for _, name := range atEnds {
		if hits[name] != made[name] || made[name] == 0 {
			t.Errorf("%s was reached %d times: seen %d times", name, made[name], hits[name])
		}
	}
	counts, err := target.Counted()
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(counts[target.siteOf(Wanted{Func: target.Image.Named("main.dense")})]); n != made["last"] {
		t.Errorf("main.dense was called %d times: counted %d", made["last"], n)
	}
	t.Logf("at ends: %v", slices.Collect(maps.Values(atEnds)))
	w.undone(target)
	w.end()
}
