//go:build linux && amd64

package patch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

// A maker makes up a program, and what its calls' values are.
type maker struct {
	random *rand.Rand
	types  strings.Builder // declarations
	named  int
}

// A made is a type with a value of it: as the source has them, and as the value is printed.
type made struct {
	typ, literal string
	text         string // within others
	top          string // by itself
}

func plainly(typ, literal, text string) made { return made{typ, literal, text, text} }

// value makes up a value. inside is how many structs, lists and pointers it may hold, one in the other.
func (m *maker) value(inside int) made {
	n := m.random.IntN(100)
	kinds := 9
	if inside > 0 {
		kinds = 17
	}
	switch m.random.IntN(kinds) {
	case 0:
		return plainly("int", fmt.Sprint(n-50), fmt.Sprint(n-50))
	case 1:
		typ := []string{"int8", "int16", "int32", "int64"}[m.random.IntN(4)]
		return plainly(typ, fmt.Sprintf("%s(%d)", typ, n-50), fmt.Sprint(n-50))
	case 2:
		typ := []string{"uint8", "uint16", "uint32", "uint64", "uint", "uintptr"}[m.random.IntN(6)]
		return plainly(typ, fmt.Sprintf("%s(%d)", typ, n), fmt.Sprint(n))
	case 3:
		return plainly("bool", fmt.Sprint(n%2 == 0), fmt.Sprint(n%2 == 0))
	case 4:
		return plainly("float64", fmt.Sprintf("%d.5", n), fmt.Sprintf("%d.5", n))
	case 5:
		return plainly("float32", fmt.Sprintf("float32(%d.25)", n), fmt.Sprintf("%d.25", n))
	case 6:
		return plainly("complex128", fmt.Sprintf("complex(%d, 1)", n), fmt.Sprintf("(%d+1i)", n))
	case 7:
		return plainly("complex64", fmt.Sprintf("complex64(complex(%d, 2))", n), fmt.Sprintf("(%d+2i)", n))
	case 8:
		text := strings.Repeat("t", n%20) + strconv.Itoa(n)
		return made{"string", fmt.Sprintf("join(%q)", text), text, strconv.Quote(text)}
	case 9, 10:
		return m.structure(inside - 1)
	case 11:
		return m.list(fmt.Sprintf("[%d]", m.random.IntN(4)), inside-1)
	case 12:
		return m.list("[]", inside-1)
	case 13:
		v := m.value(0)
		return made{"any", "any(" + v.literal + ")", v.text, v.top}
	case 14, 15:
		return m.mapping()
	}
	s := m.structure(inside - 1)
	return plainly("*"+s.typ, "&"+s.literal, "&"+s.text)
}

func (m *maker) structure(inside int) made {
	var fields, literals, texts []string
	for i := range 1 + m.random.IntN(4) {
		v := m.value(inside)
		name := fmt.Sprintf("F%d", i)
		fields, literals, texts = append(fields, name+" "+v.typ), append(literals, v.literal), append(texts, name+":"+v.text)
	}
	typ := "struct { " + strings.Join(fields, "; ") + " }"
	if m.random.IntN(2) == 0 {
		m.named++
		name := fmt.Sprintf("T%d", m.named)
		fmt.Fprintf(&m.types, "type %s %s\n", name, typ)
		typ = name
	}
	text := "{" + strings.Join(texts, " ") + "}"
	return made{typ, typ + "{" + strings.Join(literals, ", ") + "}", text, text}
}

// list makes an array or a slice. Its elements are of the type of one value, so they are that one.
func (m *maker) list(kind string, inside int) made {
	n := 0
	if kind == "[]" {
		n = 1 + m.random.IntN(3)
	} else {
		n = int(kind[1] - '0')
	}
	v := m.value(inside)
	for v.typ == "uint8" || v.typ == "any" || strings.HasPrefix(v.typ, "map") { // bytes are printed as text
		v = m.value(inside)
	}
	repeat := func(s, separator string) string { return strings.TrimSuffix(strings.Repeat(s+separator, n), separator) }
	text := "[" + repeat(v.text, " ") + "]"
	return plainly(kind+v.typ, kind+v.typ+"{"+repeat(v.literal, ", ")+"}", text)
}

// mapping makes a map, whose elements are one value, as those of lists. All that is copied of a
// small one has to find room.
func (m *maker) mapping() made {
	v, n := m.value(0), m.random.IntN(9)
	switch m.random.IntN(4) {
	case 0:
		v, n = m.structure(0), m.random.IntN(4)
	case 1:
		n = 9 + m.random.IntN(80)
	}
	keys := []struct{ typ, literal, text string }{ // in their order
		{"int8", "%d", "%d"}, {"float64", "%d.5", "%d.5"}, {"string", `join("%d")`, "%d"}, {"[1]rune", "{%d}", "[%d]"},
		{"struct { A string; B int16 }", `{join("%d"), 7}`, "{A:%d B:7}"},
	}
	key := keys[m.random.IntN(len(keys))]
	var entries, texts []string
	for i := range n {
		at := 10 + i
		entries, texts = append(entries, fmt.Sprintf(key.literal, at)+": "+v.literal), append(texts, fmt.Sprintf(key.text, at)+":"+v.text)
	}
	text := "map[" + strings.Join(texts, " ") + "]"
	if n > 8 {
		text = "map" + largeBegin + strings.Join(texts, largeNext) + largeEnd
	}
	typ := "map[" + key.typ + "]" + v.typ
	return plainly(typ, typ+"{"+strings.Join(entries, ", ")+"}", text)
}

// Marks around the entries of large maps, of which some may be left out.
const largeBegin, largeNext, largeEnd = "«", "|", "»"

// matches reports whether a text is the one that is wanted, but for entries of large maps that are
// left out and counted. shown is how many of these are there.
func matches(got, want string) (shown int, ok bool) {
	for {
		before, rest, large := strings.Cut(want, largeBegin)
		if !large {
			return shown, got == want
		}
		if got, ok = strings.CutPrefix(got, before+"["); !ok {
			return shown, false
		}
		list, after, _ := strings.Cut(rest, largeEnd)
		entries := strings.Split(list, largeNext)
		left := 0
		for _, entry := range entries {
			if more, ok := strings.CutPrefix(got, entry); ok && more != "" && (more[0] == ' ' || more[0] == ']') {
				got = strings.TrimPrefix(more, " ")
				shown++
			} else {
				left++
			}
		}
		if left > 0 {
			if got, ok = strings.CutPrefix(got, fmt.Sprintf("…+%d", left)); !ok {
				return shown, false
			}
		}
		if got, ok = strings.CutPrefix(got, "]"); !ok {
			return shown, false
		}
		want = after
	}
}

// program writes a program with so many functions, and returns what their calls look like, by their names.
func (m *maker) program(functions int) (source string, want map[string]string) {
	want = make(map[string]string)
	var code, calls strings.Builder
	for f := range functions {
		var params, literals, keep, args, results, returns, resultTexts []string
		for i := range m.random.IntN(7) {
			v := m.value(2)
			name := fmt.Sprintf("a%d", i)
			params, literals, keep = append(params, name+" "+v.typ), append(literals, v.literal), append(keep, "runtime.KeepAlive("+name+")")
			args = append(args, name+"="+v.top)
		}
		for range m.random.IntN(4) {
			v := m.value(2)
			results, returns, resultTexts = append(results, v.typ), append(returns, v.literal), append(resultTexts, v.top)
		}
		fmt.Fprintf(&code, "//go:noinline\nfunc f%d(%s) (%s) {\n\ttouch()\n\t%s\n\treturn %s\n}\n", f, strings.Join(params, ", "), strings.Join(results, ", "), strings.Join(keep, "\n\t"), strings.Join(returns, ", "))
		fmt.Fprintf(&calls, "\tf%d(%s)\n", f, strings.Join(literals, ", "))
		want[fmt.Sprintf("main.f%d", f)] = "(" + strings.Join(args, ", ") + ") (" + strings.Join(resultTexts, ", ") + ")"
	}
	return `package main

import ("bufio"; "fmt"; "os"; "runtime"; "runtime/debug"; "strings")

//go:noinline
func touch() { runtime.Gosched() }

//go:noinline
func join(s string) string { return strings.Join([]string{s, ""}, "") }

func main() {
	debug.SetGCPercent(5)
	fmt.Println("ready", os.Getpid())
	for in := bufio.NewScanner(os.Stdin); in.Scan() && in.Text() != "end"; {
		for range 5 {
			calls()
		}
		fmt.Println("done")
	}
}

func calls() {
` + calls.String() + "}\n\n" + m.types.String() + code.String(), want
}

// Values of any types are what they are.
func TestRandomTypes(t *testing.T) {
	programs, functions := 1, 80
	if *long {
		programs, functions = 40, 250
	}
	for seed := range programs {
		m := &maker{random: rand.New(rand.NewPCG(uint64(seed), 7))}
		source, want := m.program(functions)
		dir := t.TempDir()
		for name, text := range map[string]string{"main.go": source, "go.mod": "module example.com/random\n\ngo 1.25\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		build := exec.Command("go", "build", "-o", "random", ".")
		build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		checkRandom(t, seed, filepath.Join(dir, "random"), want)
	}
}

func checkRandom(t *testing.T, seed int, program string, want map[string]string) {
	w := start(t, program)
	target := w.attach()
	defer target.Close()
	v, err := target.Values(nil, capture.Limits{Bytes: 256, Depth: 8})
	if err != nil {
		t.Fatal(err)
	}
	var list []Wanted
	functions := len(want)
	for name := range want {
		f := target.Image.Named(name)
		s, err := v.Types.Of(f, v.Limits)
		if err != nil {
			t.Fatalf("program %d: %s: %v", seed, name, err)
		}
		// The compiler calls some parameters unused that it has taken apart: what they lead to isn't shown.
		if s.Args != nil && slices.ContainsFunc(s.Args.Variables, func(v capture.Variable) bool { return v.Unused }) {
			delete(want, name)
			continue
		}
		list = append(list, Wanted{Func: f, Record: v.Record(f, trampoline.Record{})})
	}
	report, err := target.Want(list)
	if err != nil {
		t.Fatal(err)
	}
	code := trampoline.New(&target.Image.Layout, target.at, target.code)
	code.UseHeap(v.heap, target.bias)
	for _, w := range list {
		if s := target.known[w.Func]; s != nil {
			before := len(code.Bytes())
			code.Add(s.plan, 1, w.Record, target.bias)
			if n, most := len(code.Bytes())-before, trampoline.Room(s.plan, w.Record); n > most {
				t.Errorf("program %d: %s: %d bytes of code, more than %d", seed, w.Func.Name, n, most)
			}
		}
	}
	seen, wrong, inLarge := make(map[string]int), 0, 0
	follow := target.Follow()
	follow.Begin = func(*Call) {}
	follow.End = func(c *Call) {
		args, results := v.Of(c.Site.Func).Names()
		was, err := textOf(v, v.Args(c), args)
		then, err2 := textOf(v, v.Results(c), results)
		seen[c.Site.Func.Name]++
		got := address.ReplaceAllString(was+" "+then, "0x")
		shown, ok := matches(got, want[c.Site.Func.Name])
		if inLarge += shown; (!ok || err != nil || err2 != nil) && wrong < 5 {
			wrong++
			t.Errorf("program %d: %s%s, %v, %v; want %s", seed, c.Site.Func.Name, got, err, err2, want[c.Site.Func.Name])
		}
	}
	fmt.Fprintln(w.in, "go")
	w.counts()
	for some := true; some; {
		now, _ := Clock()
		var until uint64
		some, until = target.Drain(true, now, follow.Add)
		follow.Tell(until)
	}
	for name := range want {
		if _, refused := report.Refused[target.Image.Named(name)]; !refused && seen[name] == 0 {
			t.Errorf("program %d: no call of %s was seen", seed, name)
		}
	}
	if t.Logf("program %d: %d entries of large maps", seed, inLarge); inLarge == 0 {
		t.Errorf("program %d: no entry of a large map was seen", seed)
	}
	if len(seen) < functions*8/10 {
		t.Errorf("program %d: %d of %d functions were seen", seed, len(seen), functions)
	}
	w.end()
}
