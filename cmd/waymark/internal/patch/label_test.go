//go:build linux && amd64

package patch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// labelsOf returns the labels that testdata/labels has said of a number.
func labelsOf(n int) string {
	switch n % 5 {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("number=%d", n)
	case 2:
		return fmt.Sprintf("api_token=*** number=%d request=r%d", n, n)
	case 3:
		return fmt.Sprintf("number=%d text=%s+%d", n, strings.Repeat("t", 128), 1+n%7)
	}
	list := fmt.Sprintf("%s=***", strings.Repeat("k", 64))
	for i := range 7 {
		list += fmt.Sprintf(" l%d=%d", i, n)
	}
	return list + " 3 more"
}

// The labels of a call's goroutine are those that the program has given it, while memory is used
// again.
func TestLabels(t *testing.T) {
	inEachWay(t, "labels", checkLabels)
}

func checkLabels(t *testing.T, program string) {
	w := start(t, program)
	target := w.attach()
	defer target.Close()
	v, err := target.Values(strings.Split(format.DefaultRedact, ","), capture.Limits{Bytes: 256, Depth: 2})
	if err != nil {
		t.Fatal(err)
	}
	var list []Wanted
	for _, name := range []string{"main.called", "main.full", "main.bare"} {
		f := target.Image.Named(name)
		list = append(list, Wanted{Func: f, Record: v.Record(f, trampoline.Record{})})
	}
	lines, _, err := v.Lines("main.go", markedLines(t, "testdata/labels/main.go")["called"])
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		list = append(list, Wanted{Func: l.Func, Line: l, Record: l.Record(trampoline.Record{})})
	}
	if report, err := target.Want(list); err != nil || len(report.Refused) > 0 {
		t.Fatal(err, report)
	}
	seen, wrong := make(map[string]int), 0
	check := func(c *Call, what string, n int, known bool) {
		var parts []string
		labels, more := v.Labels(c)
		for _, l := range labels {
			value := l.Value
			switch {
			case l.Masked:
				value = "***"
			case l.Cut > 0:
				value += fmt.Sprintf("+%d", l.Cut)
			}
			if l.Key == "number" && !known { // a function without arguments
				fmt.Sscan(value, &n)
			}
			parts = append(parts, l.Key+"="+value)
		}
		if more > 0 {
			parts = append(parts, fmt.Sprintf("%d more", more))
		}
		got := strings.Join(parts, " ")
		if want := labelsOf(n); got != want && (known || strings.Contains(got, "number")) {
			if wrong++; wrong < 5 {
				t.Errorf("%s %d: %s, want %s", what, n, got, want)
			}
			return
		}
		seen[fmt.Sprint(what, n%5)]++
	}
	follow := target.Follow()
	follow.Begin = func(*Call) {}
	follow.End = func(c *Call) {
		args, _ := v.Of(c.Site.Func).Names()
		text, err := textOf(v, v.Args(c), args)
		if err != nil {
			t.Error(err)
		}
		name := strings.TrimPrefix(c.Site.Func.Name, "main.")
		check(c, name, numberIn(text), name != "bare")
	}
	follow.Hit = func(c *Call) {
		text, _ := textOf(v, v.Args(c), c.Site.Line.Locals.Names())
		check(c, "line", numberIn(text), true)
	}
	rounds := 400
	if *long {
		rounds = 20000
	}
	w.followed(target, follow, rounds)
	total := 0
	for _, n := range seen {
		total += n
	}
	for _, what := range []string{"called", "full", "line"} {
		for n := range 5 {
			if seen[fmt.Sprint(what, n)] == 0 {
				t.Errorf("%s: no labels of kind %d were right", what, n)
			}
		}
	}
	if seen["bare1"] == 0 {
		t.Error("no labels of a function without arguments were right")
	}
	t.Logf("%d calls and lines with the right labels, %d wrong", total, wrong)
	w.undone(target)
	w.end()
}
