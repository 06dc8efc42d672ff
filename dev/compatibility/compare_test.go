package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestCompare finds each kind of difference in a module made for it. The command that
// stands for waymark is go itself with a variable that tests ask for.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("builds tests")
	}
	dir := t.TempDir()
	fake := filepath.Join(dir, "waymark")
	script := `#!/bin/sh
[ "$1" = info ] && exit 1
shift
for a; do
	shift
	case $a in
	--output) out=next ;;
	--*) ;;
	*) if [ "$out" = next ]; then out=done; else set -- "$@" "$a"; fi ;;
	esac
done
echo waymark: the fake complains >&2
TRACED=1 exec go test "$@"
`
	if err := os.WriteFile(fake, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(dir, "source")
	for name, text := range map[string]string{
		"go.mod": "module example.com/compare\n",
		"a_test.go": `package a

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

var traced = os.Getenv("TRACED") != ""

func TestSame(t *testing.T) { t.Run("sub", func(t *testing.T) {}) }

func TestFails(t *testing.T) { t.Fail() }

func TestDiffers(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) {
		if traced {
			t.Fatal("it shows")
		}
	})
}

func TestVanishes(t *testing.T) {
	if !traced {
		t.Run("sub", func(t *testing.T) {})
	}
}

func TestSkips(t *testing.T) {
	if traced {
		t.Skip()
	}
}

func TestNames(t *testing.T) { t.Run(time.Now().String(), func(t *testing.T) {}) }

// It fails if it is slowed down, which stops and continues it.
func TestHurries(t *testing.T) {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	select {
	case <-continued:
		t.Fail()
	case <-time.After(300 * time.Millisecond):
		if traced {
			t.Fail()
		}
	}
}

// Now and then it fails.
func TestSeldom(t *testing.T) {
	const file = "runs of seldom"
	runs, _ := os.ReadFile(file)
	os.WriteFile(file, append(runs, '.'), 0o666)
	if traced || len(runs) > 20 && len(runs)%10 == 0 {
		t.Fail()
	}
}

// Every third run of it fails.
func TestUnsteady(t *testing.T) {
	const file = "runs"
	runs, _ := os.ReadFile(file)
	os.WriteFile(file, append(runs, '.'), 0o666)
	if strings.Count(string(runs), ".")%3 == 0 {
		t.Fail()
	}
}
`,
	} {
		if err := os.MkdirAll(module, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := &Runner{Context: t.Context(), Waymark: fake, Limit: time.Minute, Log: t.Logf}
	res := &Result{Suite: Suite{Module: "example.com/compare@v1.0.0", Packages: []string{"./..."}}}
	if err := r.compare(res, module); err != nil {
		t.Fatal(err)
	}
	if res.Packages != 1 || res.Tests != 14 || res.Failed != 2 {
		t.Errorf("%d packages, %d tests of which %d fail: want 1, 14, 2", res.Packages, res.Tests, res.Failed)
	}
	kinds := make(map[string]Kind)
	for _, d := range res.Differences {
		if parent, _, ok := strings.Cut(d.Name, "/"); ok && parent == "TestNames" {
			d.Name = "TestNames/time" // plain, and traced
		}
		kinds[d.Name] = d.Kind
		if d.Name == "TestDiffers/bad" && !strings.Contains(d.Output, "it shows") {
			t.Errorf("output of %s is %q", d.Name, d.Output)
		}
	}
	want := map[string]Kind{"TestDiffers": Differs, "TestDiffers/bad": Differs, "TestSkips": Differs, "TestVanishes/sub": Differs, "TestHurries": TimeBound, "TestSeldom": Unsteady, "TestUnsteady": Unsteady, "TestNames/time": Unsteady}
	if !maps.Equal(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
	if len(res.Recordings.Said) != 1 || !strings.Contains(res.Recordings.Said[0], "the fake complains") {
		t.Errorf("waymark said %q", res.Recordings.Said)
	}
	if res.recorded() {
		t.Error("recordings with complaints and without events pass")
	}
	res.Recordings = &Recordings{Events: 1}
	var table strings.Builder
	writeTable(&table, []*Result{res})
	if want := "| example.com/compare@v1.0.0 |  | 14 | 2 | 9 | 4 | 1 | 4 |"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in the table\n%s", want, table.String())
	}
}

func TestSlowDownKeepsStatus(t *testing.T) {
	if status := slowDown(3, []string{"sh", "-c", "exit 7"}); status != 7 {
		t.Errorf("got status %d, want 7", status)
	}
}

func TestReadList(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	for _, c := range []struct{ text, want string }{
		{"# none\n\n", ""},
		{"example.com/m\n", `list:1: "example.com/m": want a module at a version, path@v1.2.3, or std`},
		{"std a\nexample.com/m@v1.0.0\nexample.com/m@v1.0.0 -short\n", "list:3: example.com/m@v1.0.0 is listed twice"},
	} {
		if err := os.WriteFile(name, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := readList(name)
		if got := strings.TrimPrefix(fmt.Sprint(err), filepath.Dir(name)+string(filepath.Separator)); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
	if err := os.WriteFile(name, []byte("m.com/a@v1.0.0 race CGO_ENABLED=1 -short ./x ./y # why\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := readList(name)
	want := []Suite{{"m.com/a@v1.0.0", []string{"./x", "./y"}, []string{"-short"}, true, []string{"CGO_ENABLED=1"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestOnly(t *testing.T) {
	list := func(names ...string) (out []*Difference) {
		for _, n := range names {
			out = append(out, &Difference{Test: Test{"p", n}})
		}
		return out
	}
	for _, c := range []struct {
		list []*Difference
		run  string
	}{
		{list("TestA"), "^(TestA)$"},
		{list("TestB", "TestA", "TestA"), "^(TestA|TestB)$"},
		{list("TestA", "TestA/x.y"), `^(TestA)$/^(x\.y)$`},
		{list("TestA/x/1", "TestA/x/2", "TestB/y"), "^(TestA|TestB)$/^(x|y)$"},
		{list("TestA/x", "TestB"), "^(TestA|TestB)$"},
		{list("TestA", ""), ""},
	} {
		if got := only(c.list).run; got != c.run {
			t.Errorf("%v: %s; want %s", c.list, got, c.run)
		}
	}
}

// What go test's limit ended is no outcome of the test's own.
func TestTimedOut(t *testing.T) {
	const end = `{"Action":"fail","Package":"p","Test":"TestA","Elapsed":1}` + "\n"
	for out, want := range map[string]bool{
		`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out after 6m0s\n"}` + "\n" + end: true,
		`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: something else\n"}` + "\n" + end:            false,
	} {
		o, err := readOutcomes(strings.NewReader(out), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if o.TimedOut != want || o.of(Test{"p", "TestA"}) != Fail {
			t.Errorf("%s: timed out %v", out, o.TimedOut)
		}
	}
}
