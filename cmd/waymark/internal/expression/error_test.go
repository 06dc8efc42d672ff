package expression

import (
	"errors"
	"fmt"
	"testing"

	"github.com/waymark-go/waymark/internal/program/condition"
)

var put = &Signature{Function: "store.Put", Args: []Value{{"s", "*Store"}, {"key", "string"}, {"value", "[]byte"}, {"n", "int"}, {"_", "Options"}, {"names", "...string"}},
	Results: []Value{{"", "int"}, {"err", "error"}}}

func TestMessages(t *testing.T) {
	const args = "there are s *Store, key string, value []byte, n int, [4] Options, names ...string"
	for text, want := range map[string]string{
		"":                              "1: the expression is empty: write one such as args[0] > 10",
		"args.kye == 1":                 "6: store.Put has no argument kye: " + args,
		"args[6] == 1":                  "6: store.Put has no argument 6: " + args,
		"results[2] == nil":             "9: store.Put has no result 2: there are [0] int, err error",
		"args.key > 10":                 "10: args.key is a string, and 10 is a number",
		"args.n == nil":                 "1: args.n is a number, and never nil",
		"args.n && true":                "1: args.n is a number, want true or false",
		"args.n":                        "1: args.n is a number, want true or false",
		"args.n.X == 1":                 "8: what .X stands behind is int, and has no fields",
		"args.n + 1 > 2":                "8: + is for constants only: a condition compares values, and doesn't compute with them",
		"args == nil":                   "1: name one of args, as in args[0] or args.name: " + args,
		"key == \"x\"":                  "1: key is not known; is it args.key?",
		"foo == 1":                      "1: foo is not known; there are args, results, duration, panic, error and goroutine",
		"duration > 10mx":               "12: 10mx is no duration, as 10ms or 1m30s are",
		"duration > 10 ms":              "15: want an operator, such as == or &&, or the end: found ms",
		"duration = 10ms":               "10: write == to compare",
		"args.key == 'NO'":              "13: a string stands in double quotes: \"NO\"",
		"args.n > 1 and args.n < 3":     "12: write && for and",
		"args.n > 1 or args.n < 3":      "12: write || for or",
		"duration > 5":                  "12: 5 has no unit: write 5s or 5ms",
		"1.5 < duration":                "1: 1.5 has no unit: write 1.5s or 1.5ms",
		"not error":                     "5: write ! for not",
		"( ":                            "3: an operand is wanted here, such as args[0], args.name, results[0], duration or a constant",
		"(args.n > 1":                   "12: expected ')', and the condition ends here",
		"err != nil":                    "1: err is not known; is it results.err?",
		"args.n > results[0]":           "8: an argument can't be compared with a value from the call's end: it may have changed by then",
		"panic == \"boom\"":             "7: panic can be compared with nil only",
		"panic":                         "1: write panic != nil",
		"strings.Contains(args.key)":    "1: write contains(s, part), startsWith(s, part) or endsWith(s, part)",
		"args.s.Len() > 1":              "1: methods and functions of the program can't be called; there are len, contains, startsWith and endsWith",
		"matches(args.key, \"x\")":      "1: function matches is not known; there are len, contains, startsWith and endsWith",
		"contains(args.n, \"x\")":       "10: args.n is a number, want a string",
		"contains(\"x\", args.key)":     "10: the first string is to be an argument or result",
		"contains(args.key)":            "1: contains has two arguments: a string, and what it is looked through for",
		"len(args.n) > 1":               "5: args.n is a number, and has no length",
		"len(args) > 1":                 "5: name one of args, as in args[0] or args.name: " + args,
		"args.s == args.value":          "8: args.s and args.value can be compared with nil only",
		"1 == 2":                        "3: two constants are compared",
		"args[args.n] == 1":             "6: want a constant number",
		"args[-1] == 1":                 "6: want a number from 0 to 1048576",
		"args.n > 1 / 0":                "14: division by zero",
		"args.n > 99999999999999999999": "10: 99999999999999999999 doesn't fit into 64 bits",
		"args.names[0] > 1":             "15: args.names[0] is a string, and 1 is a number",
		"args.value[0:1] == nil":        "1: an operand is wanted here, such as args[0], args.name, results[0], duration or a constant",
		"args.µ == 1":                   "6: store.Put has no argument µ: " + args,
		"args.key == \"µµ\" && x":       "21: x is not known; there are args, results, duration, panic, error and goroutine",
		"args.err != nil":               "6: store.Put has no argument err: " + args,
	} {
		_, err := Compile(text, put)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want an *Error", text, err)
			continue
		}
		if got := fmt.Sprintf("%d: %s", e.column(), e.What); got != want {
			t.Errorf("%s:\n%s\nwant %s", text, got, want)
		}
	}
}

// A value in an interface may be of any type.
func TestInterfaceMayHold(t *testing.T) {
	sig := &Signature{Function: "F", Args: []Value{{"v", "any"}, {"w", "interface{ M() }"}}, Results: []Value{{"err", "error"}}}
	for _, text := range []string{"args.v == 5", "args.v", `args.w == "s" && len(args.w) > 0`, "*args.v > 1 && args.w.X == 1", "args.v[0] == 1", `results.err == "s"`, "results.err.Code == 7", "args.w != nil"} {
		if _, err := Compile(text, sig); err != nil {
			t.Error(err)
		}
	}
}

func TestErrorText(t *testing.T) {
	_, err := Compile(`args.µ == 1`, put)
	want := "--if: character 6 of args.µ == 1: store.Put has no argument µ: there are s *Store, key string, value []byte, n int, [4] Options, names ...string"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// Without a signature any name may be an argument's.
func TestUnknownName(t *testing.T) {
	for text, want := range map[string]string{
		`country == "NO"`: "country is not known; is it args.country? For calls there are args, results, duration, panic, error and goroutine",
		"err != nil":      "err is not known; is it error, of calls whose last result is one, or results.err?",
	} {
		_, err := Compile(text, nil)
		if e := new(Error); !errors.As(err, &e) || e.What != want {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// FuzzCompile looks for expressions that the compiler can't do, or that make programs which can't be
// decoded.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		`args[0] > 10 && args.name == "x"`, `duration > 1h1.5s || !(panic == nil)`, `results[1] != nil && len(args.s.Items[2].Name) <= 'x'`,
		`*args.p.q == -1.5e3 + 2`, `contains(args.s, "a") == (goroutine != 0x1F)`, `1ms`, `((`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, sig := range []*Signature{nil, put} {
			p, err := Compile(text, sig)
			if err != nil {
				var e *Error
				if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) {
					t.Fatalf("%q: %#v, want an *Error with an offset in the text", text, err)
				}
				continue
			}
			if _, err := condition.Decode(p.Append(nil)); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}
