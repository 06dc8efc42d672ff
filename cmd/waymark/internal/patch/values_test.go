//go:build linux && amd64

package patch

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// textOf returns the text of arguments or results.
func textOf(v *Values, data []byte, names []string) (string, error) {
	list, err := v.List(data)
	return value.List(list, names, false), err
}

// wanted says what testdata/values calls its functions with, and what they return, by the first argument.
var wanted = map[string]func(n int) string{
	"ints": func(n int) string {
		return fmt.Sprintf("(n=%d, a=%d, b=%d, c=%d, d=%d, e=%t) (%d, %t)", n, int8(n), uint16(n), int32(-n), uint64(n)<<40, n%2 == 0, -n, n%2 != 0)
	},
	"floats": func(n int) string {
		return fmt.Sprintf("(n=%d, f=%v, g=%v, c=%v) (x=%v, y=%v)", n, float32(n)/2, float64(n)/4, complex(float64(n), -1), float64(n)/2, complex64(complex(float64(n), -1)))
	},
	"texts": func(n int) string {
		results := fmt.Sprintf(`("s%d!", <nil>)`, n)
		if n%3 == 0 {
			results = fmt.Sprintf(`("", broken s%d)`, n)
		}
		return fmt.Sprintf(`(n=%d, s="s%d", b="s%d") `, n, n, n) + results
	},
	"structs": func(n int) string {
		next := fmt.Sprintf("{Name:next s%d Next:<nil> at:{…} ratio:0}", n)
		node := func(next, at string) string { return fmt.Sprintf("{Name:s%d Next:%s at:%s ratio:0.5}", n, next, at) }
		whole := node("&"+next, fmt.Sprintf("{X:%d Y:1}", n))
		return fmt.Sprintf("(n=%d, p={X:%d Y:%d}, q=&%s, pp=&&%s) (%s, &%s)", n, n, -n, whole, node("0x", "{…}"), whole, strings.Replace(next, "{…}", "{X:0 Y:0}", 1))
	},
	"chain": func(n int) string {
		return fmt.Sprintf("(n=%d, l=&{Name:a Next:&{Name:b Next:0x}}) (%d)", n, n)
	},
	"lists": func(n int) string {
		return fmt.Sprintf("(n=%d, l=[%d %d], ls=[s%d bs%d], ar=[%d 2 3], ps=[{X:%d Y:0} {X:0 Y:%d}]) ([bs%d])", n, n, n+1, n, n, int16(n), n, n, n)
	},
	"faces": func(n int) string {
		return fmt.Sprintf(`(n=%d, a="s%d", e=wrapped %d: file already exists, st=%d) (%d, open f%d: file does not exist)`, n, n, n, uint16(n), n, n)
	},
	"others": func(n int) string {
		return fmt.Sprintf("(n=%d, m=map[s%d:%d x:1], c=chan int(len=0 cap=4), f=main.calls.func1, d=%s) (map[])", n, n, n, time.Duration(n))
	},
	"tables": func(n int) string {
		node := fmt.Sprintf("{Name:s%d Next:0x at:{…} ratio:0.5}", n)
		return fmt.Sprintf("(n=%d, a=map[-1:less %d:s%d], b=map[s%d:{X:%d Y:1}], c=map[{X:1 Y:%d}:&%s], d=map[password:*** user:s%d], e=map[***:***]) (map[-1:false %d:true])", n, n, n, n, n, n, node, n, n)
	},
	"inTables": func(n int) string {
		large := ""
		for i := range 9 + n%9 {
			large += fmt.Sprintf(" %d:%d", i, n)
		}
		return fmt.Sprintf("(n=%d, large=map[%s], wide=map[s%d:[%d%s]], in=map[1:map[x:%d]], empty=map[]) (map[s%d:[a s%d]])",
			n, large[1:], n, n, strings.Repeat(" 0", 16), n, n, n)
	},
	"anyTable":    func(n int) string { return fmt.Sprintf("(n=%d, f=map[token:***]) (%d)", n, n) },
	"local.func1": func(n int) string { return fmt.Sprintf("(n=%d, m=map[{Text:s%d}:%d]) (%d)", n, n, n, n) },
	"other.func1": func(n int) string { return fmt.Sprintf("(n=%d, m=map[{A:0 B:0 C:0 N:%d}:%d]) (%d)", n, n, n, n) },
	"changing":    func(n int) string { return fmt.Sprintf("(n=%d, m=map[]) (%d)", n, n) },
	"spread":      func(n int) string { return fmt.Sprintf("(n=%d, m=map[]) (%d)", n, n) },
	"nothing":     func(n int) string { return fmt.Sprintf("(n=%d, e=map[…+1]) (%d)", n, n) },
	"many": func(n int) string {
		var args, results []string
		for i, name := range []string{"n", "a", "b", "c", "d", "e", "f", "g", "h", "i"} {
			args = append(args, fmt.Sprintf("%s=%d", name, n+i))
		}
		for i, name := range []string{"q", "r", "t", "u", "v", "w", "x", "y", "z"} {
			results = append(results, fmt.Sprintf("%s=%d", name, n+i+1))
		}
		return fmt.Sprintf(`(%s, s="s%d", p={X:%d Y:7}) (%s, last=%d, text="s%d")`, strings.Join(args, ", "), n, n, strings.Join(results, ", "), n, n)
	},
	"spilled": func(n int) string {
		err := "<nil>"
		if n%5 == 0 {
			err = "spilled"
		}
		var results string
		for _, name := range "abcdefghi" {
			results += fmt.Sprintf("%c=%d, ", name, n)
		}
		return fmt.Sprintf("(n=%d) (%serr=%s)", n, results, err)
	},
	// What type it is isn't known: it may be one that is masked.
	"generic[go.shape.string]":                      func(n int) string { return fmt.Sprintf(`(n=%d, v=***) (***)`, n) },
	"generic[go.shape.struct { X int32; Y int32 }]": func(n int) string { return fmt.Sprintf(`(n=%d, v=***) (***)`, n) },
	"generic[go.shape.*uint8]":                      func(n int) string { return fmt.Sprintf(`(n=%d, v=(*uint8)(0x)) ((*uint8)(0x))`, n) },
	"next[go.shape.int].func1":                      func(n int) string { return fmt.Sprintf(`(n=%d) (%d)`, n, n+1) },
	"Box[go.shape.int].get":                         func(n int) string { return fmt.Sprintf(`(b={v:%d}, n=%d) (%d)`, n, n, n) },
	"(*Box[go.shape.int]).set":                      func(n int) string { return fmt.Sprintf(`(b=&{v:%d}, n=%d) (%d)`, n, n, n) },
	"seal":                                          func(n int) string { return fmt.Sprintf(`(n=%d, streamKey=***, publicKey="k") (%d)`, n, n) },
	"login":                                         func(n int) string { return fmt.Sprintf("(n=%d, password=***, token=***) (key=***)", n) },
	"readPassword":                                  func(n int) string { return fmt.Sprintf("(n=%d) (***, <nil>)", n) },
	// Nobody uses the text: it may be gone.
	"(*T).pointer": func(n int) string {
		return fmt.Sprintf(`(t=&{n:%d}, n=%d, ""…+%d) (%d)`, 2*n, n, len(fmt.Sprintf("s%d", n)), 2*n)
	},
	"Point.value": func(n int) string { return fmt.Sprintf("(p={X:%d Y:9}, n=%d) ({X:%d Y:9})", n, n, n) },
}

// fails reports whether a call returns an error.
func fails(name string, n int) bool {
	return name == "faces" || name == "texts" && n%3 == 0 || name == "spilled" && n%5 == 0
}

// inEachWay calls check with a program of testdata that was built in all the ways that count.
func inEachWay(t *testing.T, program string, check func(t *testing.T, program string)) {
	for _, build := range []struct {
		name string
		env  []string
		args []string
	}{
		{"plain", nil, nil},
		{"PIE", nil, []string{"-buildmode=pie"}},
		{"race", []string{"CGO_ENABLED=1"}, []string{"-race"}},
		{"go1.25.0", []string{"GOTOOLCHAIN=go1.25.0"}, nil},
		{"go1.27", []string{"GOTOOLCHAIN=go1.27.2"}, nil},
	} {
		t.Run(build.name, func(t *testing.T) {
			if build.name != "plain" && !*long {
				t.Skip("compiles the standard library: make test-attach")
			}
			check(t, builtOf(t, program, build.env, build.args...))
		})
	}
}

// Each argument and each result is what the program has, while stacks move and memory is used again.
func TestValues(t *testing.T) {
	inEachWay(t, "values", func(t *testing.T, program string) {
		checkValues(t, program, capture.Limits{Bytes: 256, Depth: 2}, wanted)
	})
	t.Run("more bytes", func(t *testing.T) {
		checkValues(t, builtOf(t, "values", nil), capture.Limits{Bytes: 8 << 10, Depth: 2}, wanted)
	})
	t.Run("deep", func(t *testing.T) {
		checkValues(t, builtOf(t, "values", nil), capture.Limits{Bytes: 256, Depth: 10}, map[string]func(n int) string{"chain": func(n int) string {
			return fmt.Sprintf("(n=%d, l=&{Name:a Next:&{Name:b Next:&{Name:c Next:&{Name:…+1 Next:0x}}}}) (%d)", n, n)
		}})
	})
}

func checkValues(t *testing.T, program string, l capture.Limits, wanted map[string]func(n int) string) {
	w := start(t, program)
	target := w.attach()
	defer target.Close()
	v, err := target.Values(strings.Split(format.DefaultRedact, ","), l)
	if err != nil {
		t.Fatal(err)
	}
	var list []Wanted
	for name := range wanted {
		f := target.Image.Named("main." + name)
		if f == nil {
			t.Fatalf("no function %s", name)
		}
		if _, err := v.Types.Of(f, v.Limits); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		list = append(list, Wanted{Func: f, Record: v.Record(f, trampoline.Record{Failure: target.Failure(f)})})
	}
	report, err := target.Want(list)
	if err != nil || len(report.Refused) > 0 {
		t.Fatal(err, report.Refused)
	}
	right, missing, unsure := make(map[string]int), 0, 0
	var wrong []string
	follow := target.Follow()
	follow.Begin = func(*Call) {}
	follow.End = func(c *Call) {
		name := strings.TrimPrefix(c.Site.Func.Name, "main.")
		if c.Unsure {
			unsure++
			return
		}
		if c.Args == nil || c.Results == nil {
			missing++
			return
		}
		args, results := v.Of(c.Site.Func).Names()
		was, err := textOf(v, v.Args(c), args)
		then, err2 := textOf(v, v.Results(c), results)
		n := numberIn(was)
		text := steady(was + " " + then)
		if name == "(*T).pointer" { // as go1.27 describes the parameter, it is used
			text = strings.Replace(text, fmt.Sprintf(`"s%d"`, n), fmt.Sprintf(`""…+%d`, len(fmt.Sprintf("s%d", n))), 1)
		}
		if want := wanted[name](n); text != want || err != nil || err2 != nil {
			wrong = append(wrong, fmt.Sprintf("%s%s, %v %v; want %s", name, text, err, err2, want))
			return
		}
		if c.Failed != fails(name, n) {
			t.Errorf("%s(%d) has returned an error: %t", name, n, c.Failed)
		}
		right[name]++
	}
	rounds, times := 400, 2
	if *long {
		rounds, times = 4000, 25
	}
	for range times {
		w.followed(target, follow, rounds)
	}
	total := 0
	for name := range wanted {
		if total += right[name]; right[name] == 0 {
			t.Errorf("%s: no call was right", name)
		}
	}
	dropped := uint64(0)
	for _, n := range target.Drops() {
		dropped += n
	}
	if n := len(wrong); n > 0 {
		t.Errorf("%d calls have other values, such as %s", n, strings.Join(wrong[:min(n, 4)], "\n"))
	}
	if missing > 0 && dropped == 0 {
		t.Errorf("%d calls have no values", missing)
	}
	t.Logf("%d calls with the right values, %d wrong, %d without values, %d unsure, %d dropped", total, len(wrong), missing, unsure, dropped)
	w.undone(target)
	w.end()
}

// A recording has the values, too, also where they need more room than their copies.
func TestRecordedValues(t *testing.T) {
	w := start(t, builtOf(t, "values", nil))
	target := w.attach()
	defer target.Close()
	v, err := target.Values(strings.Split(format.DefaultRedact, ","), capture.Limits{Bytes: 256, Depth: 2})
	if err != nil {
		t.Fatal(err)
	}
	var list []Wanted
	for name := range wanted {
		f := target.Image.Named("main." + name)
		list = append(list, Wanted{Func: f, Record: v.Record(f, trampoline.Record{Failure: target.Failure(f)})})
	}
	const rounds = 500
	f, _ := recorded(t, w, target, list, v, rounds)
	text := func(data []byte, names []string) string {
		list, err := value.Decode(data, f.Type)
		if err != nil {
			t.Errorf("%v", err)
		}
		return value.List(list, names, false)
	}
	type call struct {
		site      uint32
		token     uint32
		goroutine uint64
	}
	open := make(map[call]string)
	failed := make(map[uint64]uint32) // by goroutine: the site of the error that came last
	right, wrong := 0, 0
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		key := call{ev.Site, ev.Token, ev.Goroutine}
		site, _ := f.Func(ev.Site)
		name := strings.TrimPrefix(site.Name, "main.")
		switch ev.Kind {
		case tracefile.Enter:
			open[key] = text(ev.Data, site.Args)
		case tracefile.Error:
			failed[ev.Goroutine] = ev.Site
		case tracefile.Exit:
			was := steady(open[key] + " " + text(ev.Data, site.Results))
			if strings.Contains(name, "[...]") { // several functions have the name
				continue
			}
			if n := numberIn(was); (failed[ev.Goroutine] == ev.Site) != fails(name, n) {
				t.Errorf("%s(%d) has returned an error: %t", name, n, failed[ev.Goroutine] == ev.Site)
			}
			failed[ev.Goroutine] = 0
			if want := wanted[name](numberIn(was)); was == want {
				right++
			} else if wrong++; wrong < 5 {
				t.Errorf("%s%s, want %s", name, was, want)
			}
		}
	}
	if err := events.Err(); err != nil {
		t.Error(err)
	}
	if lost := f.Info().Lost; right < 40*rounds && lost == 0 {
		t.Errorf("%d calls with the right values, %d wrong, %d events lost", right, wrong, lost)
	}
	w.end()
}

var (
	address  = regexp.MustCompile(`0x[0-9a-f]+`)
	changing = regexp.MustCompile(`m=map\[([^\]]*)\]`)
	changed  = regexp.MustCompile(`^(\d+):(1\d\d\d|…\+4)?$`)
)

// steady returns a text without what differs from call to call: addresses, and entries of a map
// that others write to, if their elements can be those of their keys. A new entry is empty at first,
// and then has a length before it has a text.
func steady(text string) string {
	text = address.ReplaceAllString(text, "0x")
	return changing.ReplaceAllStringFunc(text, func(s string) string {
		for _, entry := range strings.Fields(s[len("m=map[") : len(s)-1]) {
			if strings.HasPrefix(entry, "…+") {
				continue
			}
			parts := changed.FindStringSubmatch(entry)
			if parts == nil {
				return s
			}
			key, _ := strconv.Atoi(parts[1])
			if n, err := strconv.Atoi(parts[2]); err == nil && n%100 != key {
				return s
			}
		}
		return "m=map[]"
	})
}

// numberIn returns the argument n in a text.
func numberIn(text string) int {
	_, after, _ := strings.Cut(text, "n=")
	if i := strings.Index(text, ", n="); i >= 0 && !strings.HasPrefix(text, "(n=") {
		after = text[i+len(", n="):]
	}
	end := strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(after)
	}
	n, _ := strconv.Atoi(after[:end])
	return n
}
