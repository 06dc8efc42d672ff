package endtoend

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

const (
	randomFunctions = 150
	randomCalls     = 4
)

// TestValuesRandom calls functions with arguments of random types, each again and again with the same
// values. The first value of a type is walked, the others are written by programs: their bytes must be
// the same, whatever the limits are.
func TestValuesRandom(t *testing.T) {
	r := seed.Rand(t, rand.Uint64())
	waymark, dir := tool(t), t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/random\n\ngo 1.26\n", "main.go": randomProgram(r)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command(t, dir, nil, waymark, "build", "--all", "--args", "-o", "random", ".")
	for _, limits := range []string{"", ",arg-depth=1,arg-bytes=40", ",arg-depth=2,arg-bytes=17", ",arg-depth=10,arg-bytes=4000"} {
		trace := filepath.Join(dir, "random.wmt")
		command(t, dir, []string{"WAYMARK=record,o=" + trace + limits}, filepath.Join(dir, "random"))
		compareArguments(t, trace, limits)
	}
}

// compareArguments checks that the calls of each random function were recorded with the same arguments.
func compareArguments(t *testing.T, trace, limits string) {
	t.Helper()
	f, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	calls := make(map[string][][]byte)
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		if fn, _ := f.Func(ev.Site); ev.Kind == tracefile.Enter && strings.HasPrefix(fn.Name, "main.random") {
			calls[fn.Name] = append(calls[fn.Name], bytes.Clone(ev.Data))
		}
	}
	if len(calls) != randomFunctions {
		t.Fatalf("with %q: %d functions were called, want %d", limits, len(calls), randomFunctions)
	}
	for name, data := range calls {
		if len(data) != randomCalls {
			t.Errorf("with %q: %s: %d calls, want %d", limits, name, len(data), randomCalls)
		}
		for i, d := range data {
			if len(d) == 0 || !bytes.Equal(d, data[0]) {
				want, _ := value.Decode(data[0], f.Type)
				got, err := value.Decode(d, f.Type)
				t.Errorf("with %q: %s: call %d has\n%x, walked it has\n%x\nin text (%v)\n%s\n%s", limits, name, i, d, data[0], err,
					value.List(got, nil, false), value.List(want, nil, false))
				break
			}
		}
	}
}

// randomProgram returns a program with functions whose parameters have types of their own.
func randomProgram(r *rand.Rand) string {
	var types, functions, calls strings.Builder
	for i := range randomFunctions {
		var params, args []string
		fmt.Fprintf(&calls, "\t{\n")
		for j := range 1 + r.Intn(3) {
			name := fmt.Sprintf("T%d_%d", i, j)
			fmt.Fprintf(&types, "type %s %s\n\n", name, randomType(r, 3))
			params = append(params, fmt.Sprintf("p%d %s", j, name))
			args = append(args, fmt.Sprintf("a%d", j))
			fmt.Fprintf(&calls, "\t\tvar a%d %s\n\t\tfill(reflect.ValueOf(&a%d).Elem(), 3)\n", j, name, j)
		}
		fmt.Fprintf(&functions, "//go:noinline\nfunc random%d(%s) {}\n\n", i, strings.Join(params, ", "))
		fmt.Fprintf(&calls, "\t\tfor range %d {\n\t\t\trandom%d(%s)\n\t\t}\n\t}\n", randomCalls, i, strings.Join(args, ", "))
	}
	return fmt.Sprintf(randomFile, r.Int63(), calls.String(), types.String(), functions.String())
}

// randomType returns a type, most often of those that are common.
func randomType(r *rand.Rand, depth int) string {
	simple := []string{"bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
		"float32", "float64", "complex64", "complex128", "string", "string", "string", "[]byte", "[]byte", "Number", "Text", "Time",
		"any", "error", "func()", "chan int", "map[string]int", "[5]byte", "Token", "*int", "*string"}
	if depth == 0 || r.Intn(3) == 0 && depth < 3 {
		return simple[r.Intn(len(simple))]
	}
	switch n := r.Intn(10); {
	case n < 5:
		fields := make([]string, r.Intn(6))
		for i := range fields {
			name := fmt.Sprintf("F%d", i)
			if r.Intn(12) == 0 {
				name = fmt.Sprintf("Password%d", i)
			}
			fields[i] = name + " " + randomType(r, depth-1)
		}
		return "struct {" + strings.Join(fields, "; ") + "}"
	case n < 7:
		return "*" + randomType(r, depth-1)
	case n < 8:
		return "[]" + randomType(r, depth-1)
	case n < 9:
		return fmt.Sprintf("[%d]%s", r.Intn(4), randomType(r, depth-1))
	}
	return simple[r.Intn(len(simple))]
}

// randomFile takes a seed, calls, types and functions.
const randomFile = `package main

import (
	"errors"
	"math/rand"
	"reflect"
	"strings"
)

type (
	Number int32
	Text   string
	Token  string
	Time   struct {
		Wall uint64
		Zone *int
	}
)

var (
	r        = rand.New(rand.NewSource(%d))
	constant = "a constant of a program lies in memory that nobody writes to: strings of it have other addresses than others"
	global   = [8]int{1, 200, 70000, -5, 1 << 40}
)

func main() {
%s}

// fill puts something into v.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int63()>>r.Intn(64) - r.Int63()>>r.Intn(64))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(r.Uint64() >> r.Intn(64))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(r.NormFloat64(), r.NormFloat64()))
	case reflect.String:
		v.SetString(text())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth-1)
		}
	case reflect.Slice:
		if r.Intn(5) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), r.Intn(1+r.Intn(100)), 100))
			for i := range v.Len() {
				fill(v.Index(i), depth-1)
			}
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*int]() && r.Intn(2) == 0 {
			v.Set(reflect.ValueOf(&global[r.Intn(len(global))]))
		} else if r.Intn(5) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Interface:
		if r.Intn(3) == 0 {
			v.Set(reflect.ValueOf(errors.New(text())))
		}
	case reflect.Map:
		if r.Intn(3) == 0 {
			v.Set(reflect.ValueOf(map[string]int{text(): r.Intn(1000)}))
		}
	case reflect.Chan:
		if r.Intn(2) == 0 {
			v.Set(reflect.ValueOf(make(chan int, r.Intn(10))))
		}
	case reflect.Func:
		if r.Intn(2) == 0 {
			v.Set(reflect.ValueOf(main))
		}
	}
}

// text returns a string from constants or the heap.
func text() string {
	n := r.Intn(1 + r.Intn(len(constant)))
	if r.Intn(2) == 0 {
		from := r.Intn(len(constant) - n + 1)
		return constant[from : from+n]
	}
	return strings.Repeat(string(rune('a'+r.Intn(26))), n) + strings.Repeat("z", r.Intn(2)*r.Intn(300))
}

%s%s`
