package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var plantedFlag = flag.Bool("planted", false, "plant mistakes into six modules and look for them in what waymark test --trace prints (downloads, minutes)")

// A planted mistake is one in a module, and a test that finds it.
type planted struct {
	module, pkg string
	flags       string // for go test, when the whole package is run
	file        string // where the mistake is
	old, new    string // the mistake
	test        string // source of the failing test
	// cause matches the line of the call that has the mistake, without its time.
	cause string
	// beyond says that the suite's tests before take more than can be saved for beginnings of tests.
	// The tree then says that calls were not recorded.
	beyond bool
}

var mistakes = []planted{
	{
		module: "github.com/google/btree@v1.1.3", pkg: ".", file: "btree_generic.go",
		old: "func (a Int) Less(b Item) bool {\n", new: "func (a Int) Less(b Item) bool {\n\tif a == 4711000 {\n\t\treturn false\n\t}\n",
		test: `package btree

import "testing"

func TestZPlanted(t *testing.T) {
	tree := New(3)
	for i := 0; i < 8; i++ {
		tree.ReplaceOrInsert(Int(4710997 + i))
	}
	if n := tree.Len(); n != 8 {
		t.Errorf("%d items, want 8", n)
	}
}
`,
		cause: `btree\.Int\.Less\(a=4711000, b=.*4711001\) = false`,
	},
	{
		module: "github.com/BurntSushi/toml@v1.6.0", pkg: ".", file: "parse.go",
		old: "\treturn num, p.typeOfPrimitive(it)\n}\n\nfunc (p *parser) valueFloat", new: "\tif num == 4711 {\n\t\tnum++\n\t}\n\treturn num, p.typeOfPrimitive(it)\n}\n\nfunc (p *parser) valueFloat",
		test: `package toml

import "testing"

func TestZPlanted(t *testing.T) {
	var v struct{ A, B int }
	if _, err := Decode("a = 4710\nb = 4711\n", &v); err != nil || v.B != 4711 {
		t.Errorf("%v, %v", v, err)
	}
}
`,
		cause: `toml\.\(\*parser\)\.valueInteger\(.*4711.*\) \{`,
	},
	{
		module: "github.com/json-iterator/go@v1.1.12", pkg: "./misc_tests", file: "iter_str.go",
		old: "\t\t\t\tret = string(iter.buf[iter.head:i])\n\t\t\t\titer.head = i + 1\n\t\t\t\treturn ret\n", new: "\t\t\t\tret = string(iter.buf[iter.head:i])\n\t\t\t\titer.head = i + 1\n\t\t\t\tif ret == \"planted\" {\n\t\t\t\t\tret = \"plant\"\n\t\t\t\t}\n\t\t\t\treturn ret\n",
		test: `package misc_tests

import (
	"testing"

	jsoniter "github.com/json-iterator/go"
)

func TestZPlanted(t *testing.T) {
	var list []string
	if err := jsoniter.UnmarshalFromString("[\"a\", \"planted\", \"b\"]", &list); err != nil || list[1] != "planted" {
		t.Errorf("%q, %v", list, err)
	}
}
`,
		cause: `\} = "plant"; /\* .*\(\*Iterator\)\.ReadString \*/`,
	},
	{
		module: "github.com/yuin/goldmark@v1.8.7", pkg: ".", flags: "-skip=Performance", file: "util/util.go",
		old: "func IsBlank(bs []byte) bool {\n", new: "func IsBlank(bs []byte) bool {\n\tif string(bs) == \"planted\\n\" {\n\t\treturn true\n\t}\n",
		test: `package goldmark_test

import (
	"bytes"
	"testing"

	"github.com/yuin/goldmark"
)

func TestZPlanted(t *testing.T) {
	var out bytes.Buffer
	err := goldmark.Convert([]byte("# a\n\nplanted\n\nb\n"), &out)
	if want := "<h1>a</h1>\n<p>planted</p>\n<p>b</p>\n"; err != nil || out.String() != want {
		t.Errorf("%q, %v", out.String(), err)
	}
}
`,
		cause: `util\.IsBlank\(bs=.*planted.*\) = true`,
	},
	{
		module: "github.com/yuin/gopher-lua@v1.1.2", pkg: ".", flags: "-skip=^(TestGlua|TestLua)$", file: "mathlib.go",
		old: "\tL.Push(LNumber(math.Abs(float64(L.CheckNumber(1)))))\n", new: "\tn := float64(L.CheckNumber(1))\n\tif n != -4711 {\n\t\tn = math.Abs(n)\n\t}\n\tL.Push(LNumber(n))\n",
		test: `package lua

import "testing"

func TestZPlanted(t *testing.T) {
	l := NewState()
	defer l.Close()
	if err := l.DoString("s = 0; for i = -4713, -4710 do s = s + math.abs(i) end"); err != nil {
		t.Fatal(err)
	}
	if n := l.GetGlobal("s"); n != LNumber(4713+4712+4711+4710) {
		t.Errorf("%v", n)
	}
}
`,
		cause: `lua\.\(\*LState\)\.Push\(.*-4711`,
	},
	{
		module: "github.com/dop251/goja@v0.0.0-20260917113740-793a2a65c13b", pkg: ".", flags: "-short", file: "builtin_math.go",
		old: "\treturn floatToValue(math.Abs(call.Argument(0).ToFloat()))\n", new: "\tif f := call.Argument(0).ToFloat(); f == -4711 {\n\t\treturn floatToValue(f)\n\t}\n\treturn floatToValue(math.Abs(call.Argument(0).ToFloat()))\n",
		test: `package goja

import "testing"

func TestZPlanted(t *testing.T) {
	v, err := New().RunString("var s = 0; for (var i = -4713; i < -4709; i++) s += Math.abs(i); s")
	if err != nil || v.ToInteger() != 4713+4712+4711+4710 {
		t.Errorf("%v, %v", v, err)
	}
}
`,
		cause:  `goja\.\(\*Runtime\)\.math_abs\(.*\) \{`,
		beyond: true, // a thousand tests of 1 ms, which take ten times as long when all is recorded
	},
}

// around is how many lines before and behind the call with the mistake must be the same.
const around = 5

// TestPlanted plants mistakes, and looks for the call that has the mistake in the calls of the failed
// test. The test runs alone, with each call recorded, and among all tests of the package with the
// default budget, which the tests before have exhausted. The calls are the same. Where the tests
// before took more than is saved for beginnings of tests, the output says that calls are missing.
// It also says how to record them: alone, as is done here.
func TestPlanted(t *testing.T) {
	if !*plantedFlag {
		t.Skip("not asked for: make test-planted")
	}
	waymark := buildWaymark(t)
	for _, p := range mistakes {
		t.Run(Suite{Module: p.module}.Path(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "module")
			p.plant(t, dir)
			cause := regexp.MustCompile(p.cause)
			whole, missing := p.tree(t, waymark, dir, "--budget=none", "-run=^TestZPlanted$")
			if missing {
				t.Error("alone, without a budget: calls are not recorded")
			}
			among, missing := p.tree(t, waymark, dir, strings.Fields(p.flags)...)
			want, got := near(whole, cause), near(among, cause)
			if len(want) == 0 {
				t.Fatalf("alone, without a budget: no line matches %s:\n%s", cause, strings.Join(whole, "\n"))
			}
			if !slices.Equal(got, want) && !(p.beyond && missing) {
				t.Errorf("with a budget, among all tests, there is around %s\n%s\nwant\n%s\nthe whole:\n%s",
					cause, strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(among, "\n"))
			}
			t.Logf("%d lines without a budget, %d with it, %d of them differ", len(whole), len(among), different(whole, among))
		})
	}
}

// plant copies the module to dir, with the mistake and the test.
func (p *planted) plant(t *testing.T, dir string) {
	t.Helper()
	if err := (Suite{Module: p.module, Packages: []string{p.pkg}}).checkout(dir); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, p.file)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(p.old)); n != 1 {
		t.Fatalf("%s: what is to be replaced is there %d times", p.file, n)
	}
	text = bytes.Replace(text, []byte(p.old), []byte(p.new), 1)
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, p.pkg, "zzz_planted_test.go"), []byte(p.test), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tree runs tests and returns the calls of the failed one, as lines without what is different in each
// run: times, addresses, goroutines. It also returns whether the output says that calls are missing.
func (p *planted) tree(t *testing.T, waymark, dir string, flags ...string) (list []string, missing bool) {
	t.Helper()
	args := append([]string{"test", "--trace", "--lines=2000"}, flags...)
	cmd := exec.CommandContext(t.Context(), waymark, append(args, p.pkg)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("%s: no test failed:\n%.3000s", cmd, out)
	}
	_, tree, ok := strings.Cut(string(out), " TestZPlanted failed after ")
	if !ok {
		t.Fatalf("%s: no calls of TestZPlanted:\n%.3000s", cmd, out)
	}
	tree, _, _ = strings.Cut(tree, "\n=== ")
	for line := range strings.Lines(tree) {
		if m := treeLine.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			list = append(list, cut.ReplaceAllString(address.ReplaceAllString(m[1], "0x…"), "…"))
		}
	}
	return list, lacking.MatchString(tree)
}

// lacking matches the end of a tree that lacks calls.
var lacking = regexp.MustCompile(` more, not recorded[^\n]*\n    all are recorded with --budget none -run '\^TestZPlanted\$'\n`)

// cut matches where a long value ends: how many of its characters are there depends on addresses.
var cut = regexp.MustCompile(`\w*…`)

// treeLine matches a line of calls: time, goroutine, call.
var treeLine = regexp.MustCompile(`^.{12}\[ *\d+\] (.*)$`)

// near returns the first line that matches, with those around it; none if none matches.
func near(list []string, cause *regexp.Regexp) []string {
	i := slices.IndexFunc(list, cause.MatchString)
	if i < 0 {
		return nil
	}
	return list[max(0, i-around):min(len(list), i+around+1)]
}

// different returns the number of lines at which two lists differ.
func different(a, b []string) (n int) {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			n++
		}
	}
	return n
}
