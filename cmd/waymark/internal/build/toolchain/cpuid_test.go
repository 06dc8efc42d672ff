package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The decision on the time stamp counter, given what CPUID answers.
func TestConstantTSC(t *testing.T) {
	src, err := hooks.ReadFile("_runtime/waymark_cpuid_amd64.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/cpuid\n\ngo 1.21\n")
	write("decide.go", strings.Replace(string(src), "package runtime", "package main", 1))
	write("main.go", `package main

func main() {
	for _, c := range []struct {
		name                    string
		highest, power, outside uint32 // EAX of 8000_0000H, EDX of 8000_0007H, both of others
	}{
		{"invariant", 0x80000008, 0x100, 0},
		{"invariant, highest leaf", 0x80000007, 0x100, 0},
		{"invariant among others", 0x80000028, 0xFFFF_FFFF, 0},
		{"not invariant", 0x80000008, 0, 0xFFFF_FFFF},
		{"not invariant, all other bits", 0x80000008, 0xFFFF_FEFF, 0xFFFF_FFFF},
		{"no power leaf", 0x80000006, 0x100, 0x100},
		{"extended leaves without content", 0x80000000, 0x100, 0x100},
		{"no extended leaves: zero", 0, 0x100, 0x100},
		{"no extended leaves: the last basic leaf", 0x16, 0x100, 0x100},
		{"no extended leaves: something", 0xC0000001, 0x100, 0x100},
	} {
		got := wmConstantTSC(func(leaf uint32) (eax, edx uint32) {
			switch leaf {
			case 0x80000000:
				return c.highest, c.outside
			case 0x80000007:
				return c.outside, c.power
			}
			return c.outside, c.outside
		})
		println(c.name, got)
	}
}
`)
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	got, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	const want = `invariant true
invariant, highest leaf true
invariant among others true
not invariant false
not invariant, all other bits false
no power leaf false
extended leaves without content false
no extended leaves: zero false
no extended leaves: the last basic leaf false
no extended leaves: something false
`
	if string(got) != want {
		t.Errorf("decided\n%swant\n%s", got, want)
	}
}
