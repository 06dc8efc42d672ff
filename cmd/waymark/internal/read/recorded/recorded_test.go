package recorded

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// Types of the file of the tests. A request is struct { *User; Key, Token string; Tags []int }.
const (
	user = format.FirstType + iota
	toUser
	ints
	request
	toRequest
)

// open returns a file with functions and types, and no events.
func open(t *testing.T) *tracefile.File {
	t.Helper()
	w := tracetest.New(tracetest.Clock{Hz: 1e9, Start: 1000})
	w.Sites(1, "example.com/m", []format.Site{
		{Name: "m.put", File: "m.go", Line: 3, Args: []string{"req", "n", "s"}, ArgTypes: []string{"", "int", "string"}, Results: []string{"size", "err"}},
		{Name: "m.get", File: "m.go", Line: 9, Args: []string{"key"}, ArgTypes: []string{"string"}},
		{Name: "m.plain", File: "m.go", Line: 12},
	})
	var types []byte
	for _, typ := range []format.Type{
		{ID: user, Kind: format.KindStruct, Name: "m.User", Package: "m", Fields: []format.Field{{Name: "ID", Type: uint32(format.KindInt)}}},
		{ID: toUser, Kind: format.KindPointer, Name: "*m.User"},
		{ID: ints, Kind: format.KindSlice, Name: "[]int"},
		{ID: request, Kind: format.KindStruct, Name: "m.Request", Package: "m", Fields: []format.Field{
			{Name: "User", Type: toUser}, {Name: "Key", Type: uint32(format.KindString)},
			{Name: "Token", Type: uint32(format.KindString), Masked: true}, {Name: "Tags", Type: ints}}},
		{ID: toRequest, Kind: format.KindPointer, Name: "*m.Request"},
	} {
		types = format.AppendType(types, &typ)
	}
	w.Block(format.BlockTypes, types)
	w.End(2000, format.Trailer{})
	file, err := calltreetest.Open("m.wmt", w.File)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	for events, ev := file.Events(), (tracefile.Event{}); events.Next(&ev); { // types are known from there on
	}
	return file
}

// Values as programs record them.

func text(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s)<<1)), s...) }

func dynamic(typ int, data ...byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(typ)), data...)
}

func number64(n int64) []byte { return dynamic(int(format.KindInt), binary.AppendVarint(nil, n)...) }

// aRequest returns a pointer to a request: with a user, of whom the id is not recorded if it is 0.
func aRequest(id int64, key string) []byte {
	b := []byte{2} // what it leads to
	b = append(b, dynamic(request)...)
	b = append(b, 4, 0) // fields
	switch id {
	case -1:
		b = append(b, 0)
	case 0:
		b = append(b, 1, 0x10)
	default:
		b = append(append(b, 2), dynamic(user, append([]byte{1, 0}, binary.AppendVarint(nil, id)...)...)...)
	}
	b = append(b, text(key)...)
	b = append(b, 1, 3, byte(format.KindInt), 2, 0, 10, 12) // three tags, of which two are recorded: 5 and 6
	return dynamic(toRequest, b...)
}

func call(site uint32, args ...[]byte) *calltree.Call {
	c := &calltree.Call{Site: site, Goroutine: 7, Began: 100, End: 100 + 5_000_000}
	for _, a := range args {
		c.Args = append(c.Args, a...)
	}
	return c
}

func compiled(t *testing.T, text string) *Condition {
	t.Helper()
	p, err := expression.Compile(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return New(p)
}

// decide returns whether a condition chooses a call, and its notes.
func decide(t *testing.T, file *tracefile.File, text string, c *calltree.Call) (chosen bool, notes string) {
	t.Helper()
	cond := compiled(t, text)
	m := cond.Matcher(file, func(ticks uint64) int64 { return int64(ticks) })
	slots, ok := m.Enter(c)
	chosen = ok && m.Exit(c, slots)
	return chosen, strings.Join(cond.Notes(), "\n")
}

func TestConditions(t *testing.T) {
	file := open(t)
	put := call(1, aRequest(42, "k1"), number64(-5), dynamic(int(format.KindString), text("hello")...))
	put.Results = append(number64(2), dynamic(format.TypeNil)...)
	nobody := call(1, aRequest(-1, ""), number64(3), dynamic(int(format.KindString), 5<<1|1, 9, 'h', 'e', 'l', 'l', 'o')) // cut off
	nobody.Flags = calltree.Failed
	nobody.Results = append(number64(0), dynamic(format.TypeText, append([]byte{format.TypeUnread}, text("odd")...)...)...)
	panicked := call(1, dynamic(toRequest, 0), number64(3), dynamic(format.TypeMasked))
	panicked.Flags = calltree.Panicked
	lost := call(1)
	for _, tt := range []struct {
		c    *calltree.Call
		want map[string]bool
	}{
		{put, map[string]bool{
			"args.n == -5": true, "args[1] < 0": true, "args.n > 0": false, "args.n < 2.5": true,
			"args.req.User.ID == 42": true, "args.req.ID == 42": true, "(*args.req).User.ID > 42": false, `args.req.Key == "k1"`: true,
			"args.req != nil": true, "args.req == nil": false, "args.req.User != nil": true, "args.req.Tags != nil": true,
			"len(args.req.Tags) == 3": true, "args.req.Tags[1] == 6": true, "args.req.Tags[3] == 0": false, "!(args.req.Tags[3] == 0)": false,
			`args.s == "hello"`: true, `startsWith(args.s, "he")`: true, `contains(args.s, "x")`: false, "len(args.s) == 5": true,
			"results[0] == 2": true, "results.err == nil": true, "results[1] != nil": false, "error": false, "!error": true, "panic != nil": false,
			"duration == 5ms": true, "duration > 5ms": false, "goroutine == 7": true, "args.n < 0 && results.size == 2 || goroutine == 1": true,
			"args.n > 0 || duration > 1ms": true, "args.n > 0 || error": false, "args.req != nil && args.req.Key != \"\"": true,
			"args.s == \"hello\" && len(args.s) == 5 && args.s != \"x\"": true,
		}},
		{nobody, map[string]bool{
			"args.req.User == nil": true, "args.req.User.ID == 1": false, "!(args.req.User.ID == 1)": false, "args.req.User == nil || args.req.User.ID == 1": true,
			`args.s == "hello"`: false, `args.s != "hello"`: true, `startsWith(args.s, "hello")`: true, "len(args.s) == 9": true,
			"error": true, "results[1] != nil": true, "results.err == nil": false, "error && args.n == 3": true,
		}},
		{panicked, map[string]bool{
			"args.req == nil": true, "args.req.Key == \"\"": false, "panic != nil": true, "panic != nil && args.n == 3": true,
			"results[0] == 0": false, "!(results[0] == 0)": false, "results[0] == 0 || panic != nil": false, "panic != nil || results[0] == 0": true,
		}},
		{lost, map[string]bool{"args.n == 0": false, "args.n != 0": false, "duration > 1ms": true, "duration > 1ms || args.n == 0": true}},
		{call(2, dynamic(int(format.KindString), text("a")...)), map[string]bool{`args.key == "a"`: true, `args[0] == "a"`: true, "args.n == 1": false, "results[0] == 1": false}},
		{call(3), map[string]bool{"args[0] == 1": false, "duration > 1ms": true, "error": false}},
		{call(99), map[string]bool{"duration > 1ms": false}},
	} {
		for text, want := range tt.want {
			if got, notes := decide(t, file, text, tt.c); got != want {
				t.Errorf("site %d: %s: %v, want %v; notes: %s", tt.c.Site, text, got, want, notes)
			}
		}
	}
}

// TestNotes has conditions that turn out to be none for a call.
func TestNotes(t *testing.T) {
	file := open(t)
	put := call(1, aRequest(0, "k1"), number64(1), dynamic(format.TypeMasked))
	for text, want := range map[string]string{
		"args.req.User.ID == 1":    "args.req.User.ID was not recorded: record with a greater --arg-depth",
		"args.req.Tags[2] == 1":    "args.req.Tags[2] was not recorded: record with greater --arg-depth and --arg-bytes",
		"args.req.Kye == \"x\"":    "m.Request has no field Kye: there are User, Key, Token, Tags",
		"args.req.Token == \"x\"":  "args.req.Token is masked: its name looks like a secret's",
		"args.s == \"x\"":          "args.s is masked: its name looks like a secret's",
		"len(args.s) == 7":         "args.s is masked: its name looks like a secret's",
		"len(args.req.Token) == 1": "args.req.Token is masked: its name looks like a secret's",
		"args.req.Key == 1":        "args.req.Key is a string, and 1 is an integer",
		"args.req == \"x\"":        "args.req is a value that may be nil, and \"x\" is a string",
		"args.req.Key.Name == nil": "string has no field Name",
		"args[0].Key == 1":         "args[0].Key is a string, and 1 is an integer",
	} {
		got, notes := decide(t, file, text, put)
		if want = "condition " + text + ": m.put: " + want + "; such calls are rejected"; got || notes != want {
			t.Errorf("%s: %v,\n%s, want\n%s", text, got, notes, want)
		}
	}
}

// A note is about calls that are rejected, not about operands that || skips.
func TestSkipped(t *testing.T) {
	file := open(t)
	put, none := call(1, aRequest(0, "k1"), number64(1)), call(1, dynamic(format.TypeNil), number64(1))
	for text, c := range map[string]*calltree.Call{`args.n == 1 || args.req.Kye == "x"`: put, "args.req == nil || args.req.X == 1": none} {
		if got, notes := decide(t, file, text, c); !got || notes != "" {
			t.Errorf("%s: %v, %s, want true", text, got, notes)
		}
	}
	for _, text := range []string{"args.req.X == nil", "args.req.X == 1 || args.n == 1"} {
		if got, notes := decide(t, file, text, none); got || notes != "" {
			t.Errorf("%s: %v, %s, want false: it reads through nil", text, got, notes)
		}
	}
	want := "m.Request has no field Kye"
	if got, notes := decide(t, file, `duration > 1h || args.req.Kye == "x"`, put); got || !strings.Contains(notes, want) {
		t.Errorf("%v, %s, want false, %s", got, notes, want)
	}
}

// TestCheck has conditions before any call is seen.
func TestCheck(t *testing.T) {
	files := []*tracefile.File{open(t)}
	for text, want := range map[string]string{
		"args.n == 1":                   "",
		"error":                         "",
		"duration > 1ms":                "",
		"args.m == 1":                   "the condition args.m == 1 can hold for no call: no function has a value args.m; is it n or s?",
		"results.sise == 1":             "the condition results.sise == 1 can hold for no call: no function has a value results.sise; is it size?",
		"args.something == 1":           "the condition args.something == 1 can hold for no call: no function has a value args.something: there are key, n, req, s",
		"args[3] == 1":                  "the condition args[3] == 1 can hold for no call: no function has 4 args",
		`args.n == "x"`:                 `the condition args.n == "x" can hold for no call: m.put: args.n is an integer, and "x" is a string (the first of 3 functions)`,
		`args.n > 1 && args.key == "x"`: `the condition args.n > 1 && args.key == "x" can hold for no call: m.put: there is no argument key: there are req, n int, s string (the first of 3 functions)`,
	} {
		got := ""
		c := compiled(t, text)
		if err := c.Check(files, nil); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	c := compiled(t, "args.n == 1")
	if err := c.Check(files, nil); err != nil || strings.Join(c.Notes(), "") != "the condition args.n == 1 fits 1 of 3 functions: calls of the others are left out" {
		t.Errorf("%v, %q", err, c.Notes())
	}
	unnamed := []*tracefile.Func{{Results: []string{"_"}}}
	want := "no function has a value results.r: they have no names, write results[0]"
	r := Path{Instruction: condition.Instruction{Root: condition.Result, Name: "r"}}
	if err := r.lacking(unnamed); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	plain := func(f *tracefile.Func) bool { return f.Name == "m.plain" }
	var list []*tracefile.Func
	for _, f := range functions(files, nil) {
		if plain(f) {
			list = append(list, f)
		}
	}
	p := Path{}
	p.Name = "n"
	if err := p.lacking(list); err == nil || err.Error() != "no args are recorded: record with --args" {
		t.Errorf("of functions without values: %v", err)
	}
}

// TestFind finds values for reports by value.
func TestFind(t *testing.T) {
	file := open(t)
	data := call(1, aRequest(42, "k1"), number64(-5), dynamic(format.TypeMasked)).Args
	for text, want := range map[string]string{
		"args.n": "-5", "args.req.User.ID": "42", "args[0].Key": `"k1"`, "args.s": "***", "args.req.Token": "***", "len(args.req.Tags)": "3", "args.req.Tags[0]": "5",
		"args.req.Tags[7]": "", "args.req.Tags[2]": "",
	} {
		in, err := expression.CompileValue(text)
		if err != nil {
			t.Fatal(err)
		}
		p, got := Path{Instruction: *in}, ""
		if v, ok := p.Find(file, 1, data); ok {
			got = new(value.Printer).Value(&v)
		}
		if got != want || p.String() != text {
			t.Errorf("%s, %s: %q, want %q", text, p.String(), got, want)
		}
	}
}
