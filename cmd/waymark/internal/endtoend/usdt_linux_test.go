package endtoend

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// usdtProgram has a function of each shape of exit, and each kind of value. It ends with the number of
// calls of count.
const usdtProgram = `package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/probe"
)

type shop struct {
	probe.Provider
	Finish probe.P2[int32, string]
}

//go:noinline
func signed(a int8, b int16, c int32, d int64, e int) (int8, int16, int32, int64, int) {
	for range a {
		b++
	}
	return a, b, c, d, e
}

//go:noinline
func unsigned(a uint8, b uint16, c uint32, d uint64, e uint, f uintptr) (uint8, uint16, uint32, uint64, uint, uintptr) {
	defer func() {}()
	return a, b, c, d, e, f
}

//go:noinline
func texts(a, b, long string, ok bool, f float64, g float32) (string, bool, error) {
	if !ok {
		return a, ok, errors.New("not ok")
	}
	return b + a, ok, nil
}

//go:noinline
func leaves(password string, p *int, n int) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("panicked")
		}
	}()
	throws(n)
	return nil
}

//go:noinline
func throws(n int) int {
	if n == 1 {
		panic("x")
	}
	return n
}

//go:noinline
func count(i int) int {
	if i < 0 {
		panic("negative")
	}
	return i + 1
}

func main() {
	var s shop
	if err := probe.Register(&s); err != nil {
		fmt.Println(err)
	}
	signed(math.MinInt8, math.MinInt16, math.MinInt32, math.MinInt64, math.MinInt)
	signed(math.MaxInt8, 0, math.MaxInt32, math.MaxInt64, math.MaxInt)
	unsigned(math.MaxUint8, math.MaxUint16, math.MaxUint32, math.MaxUint64, math.MaxUint, math.MaxUint)
	texts("", "gr\u00fc\u00df \u4e16", strings.Repeat("x", 5000), true, 1.5, -2.5)
	texts("a", "", "", false, 0, 0)
	leaves("secret", nil, 1)
	leaves("secret", new(int), 2)
	s.Finish.Fire(math.MinInt32, "done")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 1000 {
				count(i)
			}
		})
	}
	wg.Wait()
	if len(os.Args) > 1 {
		fmt.Println("ends")
	}
}
`

const usdtScript = `
usdt:APP:main:signed__entry { printf("signed %d %d %d %ld %ld\n", arg0, arg1, arg2, arg3, arg4); }
usdt:APP:main:signed__return { printf("signed = %d %d %d %ld %ld\n", arg0, arg1, arg2, arg3, arg4); }
usdt:APP:main:unsigned__entry { printf("unsigned %lu %lu %lu %lu %lu %lu\n", arg0, arg1, arg2, arg3, arg4, arg5); }
usdt:APP:main:unsigned__return { printf("unsigned = %lu %lu %lu %lu %lu %lu\n", arg0, arg1, arg2, arg3, arg4, arg5); }
usdt:APP:main:texts__entry { printf("texts [%s] [%s] %d %lx %lx\n", str(arg0), str(arg1), arg3, arg4, arg5); }
usdt:APP:main:texts__return { printf("texts = [%s] %d %d\n", str(arg0), arg1, arg2); }
usdt:APP:main:leaves__entry { printf("leaves %d %d %d\n", arg0, arg1, arg2); }
usdt:APP:main:leaves__return { printf("leaves = %d\n", arg0); }
usdt:APP:main:throws__return { printf("throws = %d\n", arg0); }
usdt:APP:shop:Finish { printf("finish %d %s\n", arg0, str(arg1)); }
usdt:APP:main:count__entry { @entries = count(); @sum = sum(arg0); }
usdt:APP:main:count__return { @returns = count(); @results = sum(arg0); }
`

var usdtWanted = []string{
	"signed -128 -32768 -2147483648 -9223372036854775808 -9223372036854775808",
	"signed = -128 -32768 -2147483648 -9223372036854775808 -9223372036854775808",
	"signed 127 0 2147483647 9223372036854775807 9223372036854775807",
	"signed = 127 127 2147483647 9223372036854775807 9223372036854775807",
	"unsigned 255 65535 4294967295 18446744073709551615 18446744073709551615 18446744073709551615",
	"unsigned = 255 65535 4294967295 18446744073709551615 18446744073709551615 18446744073709551615",
	"texts [] [gr\u00fc\u00df \u4e16] 1 3ff8000000000000 c0200000",
	"texts = [gr\u00fc\u00df \u4e16] 1 0",
	"texts [a] [] 0 0 0",
	"texts = [a] 0 1",
	"leaves 0 0 1", // what looks like a secret is 0, and so is nil
	"leaves = 1",   // recovered; throws did not return
	"leaves 0 1 2",
	"throws = 2",
	"leaves = 0",
	"finish -2147483648 done",
}

// bpftrace returns the path of bpftrace, and skips the test where it can't be used.
func bpftrace(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("/sys/kernel/tracing/uprobe_events"); os.Geteuid() != 0 || err != nil {
		t.Skip("bpftrace needs root, and mount -t tracefs nodev /sys/kernel/tracing")
	}
	path, err := exec.LookPath("bpftrace")
	if err != nil {
		t.Skip("bpftrace is not installed")
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("no USDT on " + runtime.GOARCH)
	}
	return path
}

// TestUSDT has bpftrace trace a program of waymark build --usdt: it is armed before the program starts. All
// values arrive, and each of the calls that 4 goroutines make, entries and returns.
func TestUSDT(t *testing.T) {
	tracer := bpftrace(t)
	dir := t.TempDir()
	library := repository.Path(t, "")
	files := map[string]string{
		"go.mod":  "module example.com/app\n\ngo 1.26\n\nrequire github.com/waymark-go/waymark v0.0.0\n\nreplace github.com/waymark-go/waymark => " + library + "\n",
		"main.go": usdtProgram,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, build := range []struct {
		name  string
		flags []string
		long  bool // it compiles the standard library anew
	}{
		{"plain", nil, false},
		{"stripped", []string{"-ldflags=-s -w"}, false},
		{"values", []string{"--args", "--results"}, false},
		{"trimmed", []string{"-trimpath", "-ldflags=-s -w"}, true},
		{"pie", []string{"-buildmode=pie"}, true},
		{"race", []string{"--args", "--results", "-race"}, true},
	} {
		t.Run(build.name, func(t *testing.T) {
			if build.long && !*long {
				t.Skip("-long is not given: make test-long")
			}
			app := filepath.Join(t.TempDir(), "app")
			args := append([]string{"build", "--usdt", "..."}, build.flags...)
			prints(t, dir, "waymark", append(args, "-o", app, ".")...)
			list := prints(t, dir, tracer, "-l", "usdt:"+app+":*")
			for _, name := range []string{"main:signed__entry", "main:count__return", "shop:Finish"} {
				if !strings.Contains(list, name+"\n") {
					t.Errorf("bpftrace lists no %s, but\n%s", name, list)
				}
			}
			checkTraced(t, prints(t, dir, tracer, "-e", strings.ReplaceAll(usdtScript, "APP", app), "-c", app))
		})
	}
}

func checkTraced(t *testing.T, got string) {
	t.Helper()
	for _, line := range usdtWanted {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
	for _, sum := range []string{"@entries: 4000", "@returns: 4000", "@sum: 1998000", "@results: 2002000"} {
		if !strings.Contains(got, sum+"\n") {
			t.Errorf("no %s", sum)
		}
	}
	if got, want := strings.Count(got, "throws ="), 1; got != want {
		t.Errorf("%d returns of throws, want %d: the other call panics", got, want)
	}
	if t.Failed() {
		t.Logf("bpftrace prints\n%s", got)
	}
}

// TestUSDTOff runs the same with WAYMARK=usdt=0: nothing fires, and nothing else changes.
func TestUSDTOff(t *testing.T) {
	tracer := bpftrace(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/app\n\ngo 1.26\n", "main.go": `package main

import "fmt"

//go:noinline
func f(n int) int {
	for range n {
		n++
	}
	return n
}

func main() { fmt.Println("f is", f(2)) }
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	app := filepath.Join(dir, "app")
	prints(t, dir, "waymark", "build", "--usdt", "main.f", "-o", app, ".")
	for _, setting := range []struct {
		waymark string
		fires   bool
	}{{"usdt=1", true}, {"usdt=0", false}} {
		t.Setenv("WAYMARK", setting.waymark)
		got := prints(t, dir, tracer, "-e", fmt.Sprintf(`usdt:%s:main:f__return { printf("fired %%d\n", arg0); }`, app), "-c", app)
		if fires := strings.Contains(got, "fired 4\n"); fires != setting.fires {
			t.Errorf("WAYMARK=%s: fired: %v, want %v\n%s", setting.waymark, fires, setting.fires, got)
		}
		if !strings.Contains(got, "f is 4\n") {
			t.Errorf("WAYMARK=%s: the program does not say that f is 4\n%s", setting.waymark, got)
		}
	}
}

// prints runs a command in a folder and returns what it prints.
func prints(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	return out.String()
}
