package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// What can't be done says what to do.
func TestHints(t *testing.T) {
	t.Chdir(t.TempDir())
	events, err := calltreetest.Events("A10 B20 b30 a40")
	if err != nil {
		t.Fatal(err)
	}
	recording := calltreetest.Recording{
		Events: events, End: 2000,
		Tables: []calltreetest.Table{{Package: "main", Sites: []format.Site{{Name: "main.main"}, {Name: "main.f"}}}},
	}
	whole := recording.Bytes()
	for name, b := range map[string][]byte{"a.wmt": whole, "header.wmt": whole[:format.HeaderSize], "cut.wmt": whole[:len(whole)-60]} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"report none.wmt":                         "waymark: none.wmt: no such file or directory\n",
		"info none.wmt":                           "waymark: none.wmt: no such file or directory\n",
		"report 1":                                "waymark: 1: no such file or directory; for a process: waymark top 1\n",
		"traces --failed --root main.f a.wmt":     "waymark: no trace is left by --failed, --root\n",
		"traces --failed a.wmt":                   "waymark: root calls returned no error, as those of HTTP handlers do: --root PATTERN lists calls of other functions\n",
		"report --if= a.wmt":                      "waymark: --if: the condition is empty: write one such as args.n > 10, or leave --if out\n",
		"record -o none/a.wmt ./main":             "waymark: there is no folder " + filepath.Join(dirOf(t), "none") + ": make it, or choose another file with -o\n",
		"report --format csv -o x.csv cut.wmt":    "waymark: cut.wmt: the end is missing: the file was cut or damaged, or the program was killed\n",
		"report --format csv -o x.csv header.wmt": "waymark: header.wmt: nothing of it can be read: it was cut or damaged, or its program was killed at once\n",
	} {
		if _, got, _ := run(strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("waymark %s: %q\nwant %q", args, got, want)
		}
	}
}

func dirOf(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A report by a value is refused before the run if no function records the value.
func TestValued(t *testing.T) {
	f := func(args ...string) (f build.Func) {
		f.Instrumented = true
		for _, name := range args {
			f.Args = append(f.Args, build.Value{Name: name})
		}
		return f
	}
	funcs := []build.Func{f("key"), f("key", "n"), f()}
	for by, want := range map[string]string{
		"function":   "",
		"args.n":     "",
		"args[1]":    "",
		"args.key":   "2 functions have args.key, and their calls are added up: --include PATTERN chooses",
		"args.kye":   "run: --by args.kye: no function records such a value: record values by --args or --results, and name one that there is",
		"results[0]": "run: --by results[0]: no function records such a value: record values by --args or --results, and name one that there is",
	} {
		got, err := (&reportFlags{by: by}).valued(funcs)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", by, got, want)
		}
	}
}
