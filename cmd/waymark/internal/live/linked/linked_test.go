package linked

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const source = `package main

import "os"

type T struct{ n int }

func (t *T) inlined() int { return t.n + 1 }

//go:noinline
func left(n int) int { return n * 2 }

//go:noinline
func each(f func(int)) { f(3) }

func assembly() int

func main() {
	t := &T{len(os.Args)}
	each(func(n int) { println(left(t.inlined()), assembly()) })
}
`

func TestWhy(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the assembly is for linux/amd64")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/left\n\ngo 1.26\n", "main.go": source, "a_amd64.s": "TEXT ·assembly(SB), 4, $0-8\n\tMOVQ $1, ret+0(FP)\n\tRET\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "app", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, err := Open(filepath.Join(dir, "app"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"main.left":             "main.left, main.go:10, was left out when the program was built",
		"example.com/left.left": "main.left, main.go:10, was left out when the program was built",
		"main.T.inlined":        "main.(*T).inlined has no code of its own: the compiler has inlined it into its callers; waymark build --include 'main.T.inlined'",
		"main.assembly":         "main.assembly, a_amd64.s:2, is written in assembly",
		"main.main.func1":       "main.main.func1, main.go:19, is a function literal: build the program with --closures",
		"runtime.mallocgc":      "can't be instrumented: waymark's own hooks are built on package runtime",
		"runtime.*":             "functions runtime.*, such as ",
		"main.T.*":              "main.(*T).inlined has no code",
		"/^main.(left|each)$/":  "the program has main.each, main.left, and none was instrumented",
		"main.lft":              "the program has no function main.lft: the linker leaves out what nothing calls; is it main.left",
	} {
		why, found := p.Why(text)
		if !strings.Contains(why, want) || found != !strings.HasPrefix(want, "the program has no") {
			t.Errorf("%s: %v, %q\nwant %q", text, found, why, want)
		}
	}
}

func TestNoProgram(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a program that isn't there was read")
	}
	if list := allNames([]byte("garbage, garbage, garbage, garbage, garbage"), nil); list != nil {
		t.Errorf("garbage has names %q", list)
	}
}
