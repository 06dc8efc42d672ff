package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestSmallHeap checks that what waymark keeps of each function does not have a small heap collected more often.
func TestSmallHeap(t *testing.T) {
	const functions = 3000
	var src strings.Builder
	src.WriteString(smallHeap)
	for i := range functions {
		fmt.Fprintf(&src, "\tf%d()\n", i)
	}
	src.WriteString("}\n")
	for i := range functions {
		fmt.Fprintf(&src, "\n//go:noinline\nfunc f%d() {}\n", i)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/small\n\ngo 1.24\n", "main.go": src.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command(tool(t), "build", "-o", "app", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	room := func(setting string) int {
		cmd := exec.Command(filepath.Join(dir, "app"))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "WAYMARK="+setting, "GOGC=100", "GOMEMLIMIT=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("WAYMARK=%s: %v", setting, err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	off := room("")
	for _, setting := range []string{"stats,budget=3%,report=json:/dev/null", "record,budget=3%,o=a.wmt"} {
		on := room(setting)
		if on < off-off/5 {
			t.Errorf("with WAYMARK=%s the heap is collected after %d bytes, else after %d: want as many", setting, on, off)
		}
	}
}

// smallHeap is a program that prints how many bytes can be allocated until its heap is collected.
const smallHeap = `package main

import (
	"fmt"
	"runtime"
	"time"
)

func main() {
	for begin := time.Now(); time.Since(begin) < 300*time.Millisecond; {
		all()
	}
	runtime.GC()
	runtime.GC() // the first may have begun before
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(m.NextGC - m.HeapAlloc)
}

func all() {
`
