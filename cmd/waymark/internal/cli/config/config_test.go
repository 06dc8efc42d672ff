package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// flags are those of a command.
type flags struct {
	Lists   []string
	Pattern string
	Out     string
	Args    string
	All     bool
	N       int
	Min     time.Duration
	Factor  float64
}

func (f *flags) set() *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.StringArrayVar(&f.Lists, "lists", nil, "")
	set.StringVar(&f.Pattern, "pattern", "", "")
	set.StringVar(&f.Out, "out", "", "")
	set.StringVar(&f.Args, "args", "", "")
	set.Lookup("args").NoOptDefVal = "every"
	set.BoolVar(&f.All, "all", false, "")
	set.IntVar(&f.N, "n", 7, "")
	set.DurationVar(&f.Min, "min", 0, "")
	set.Float64Var(&f.Factor, "factor", 1, "")
	set.String("config", "", "")
	Mark(set, IsPattern, "lists", "pattern")
	set.String("file", "", "")
	Mark(set, IsFile, "file")
	Mark(set, IsOutput, "out")
	return set
}

// apply applies a file in folder /m to the command run, in /m/sub, that has args.
func apply(t testing.TB, text string, args ...string) (flags, *pflag.FlagSet, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "waymark.toml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var f, other flags
	set := f.set()
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	rest := other.set()
	rest.Int("depth", 0, "")
	err := Apply(path, !strings.HasPrefix(text, "# found"), filepath.Join(filepath.Dir(path), "sub"), "run", map[string]*pflag.FlagSet{"run": set, "report": rest})
	replace := func(s string) string { return strings.ReplaceAll(s, filepath.Dir(path), "/m") }
	for i := range f.Lists {
		f.Lists[i] = replace(f.Lists[i])
	}
	f.Pattern, f.Out = replace(f.Pattern), replace(f.Out)
	return f, set, err
}

func TestApply(t *testing.T) {
	for _, test := range []struct {
		text string
		args []string
		want flags
	}{
		{"", nil, flags{N: 7, Factor: 1}},
		{"lists = ['a,./b', './...', '/x,y/', '/abs/p']\npattern = '..'\nout = 'o/p'", nil,
			flags{Lists: []string{"a", "/m/b", "/m/...", "/x,y/", "/abs/p"}, Pattern: "/", Out: "/m/o/p", N: 7, Factor: 1}},
		{"lists = 'a'\nout = '/o'", nil, flags{Lists: []string{"a"}, Out: "/o", N: 7, Factor: 1}},
		{"lists = ['a']\nn = 0x10\nall = true", []string{"--lists=c", "--n=2"}, flags{Lists: []string{"c"}, N: 2, All: true, Factor: 1}},
		{"lists = ['a']\nn = 1\n[run]\nlists = ['b', 'c']\n[report]\nn = 3\ndepth = 4", nil, flags{Lists: []string{"b", "c"}, N: 1, Factor: 1}},
		{"run.n = 5\nn = 1_000", nil, flags{N: 5, Factor: 1}},
		{"run = { n = 5, min = '10us' }\ndepth = 3", nil, flags{N: 5, Min: 10 * time.Microsecond, Factor: 1}},
		{"args = true\nfactor = 2", nil, flags{Args: "every", N: 7, Factor: 2}},
		{"args = false\nfactor = 0.5", nil, flags{N: 7, Factor: 0.5}},
		{"args = 'some'", nil, flags{Args: "some", N: 7, Factor: 1}},
		{"all = true\nrun.all = false", nil, flags{N: 7, Factor: 1}},
	} {
		got, _, err := apply(t, test.text, test.args...)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if test.want.Pattern == "/" { // what is above the file's folder has no name here
			if !filepath.IsAbs(got.Pattern) {
				t.Errorf("pattern %s is relative", got.Pattern)
			}
			got.Pattern = "/"
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"n = 1\nlist = []":           "2:1: list: no such flag; is it lists?",
		"config = 'x'":               "1:1: config: no such flag",
		"[rn]\nn = 1":                "2:1: [rn]: no such command takes flags from a file; is it run?",
		"[run]\ndepth = 1":           "2:1: depth: no such flag of waymark run",
		"[run]\nn = 1\nlsits = 1":    "3:1: lsits: no such flag of waymark run; is it lists?",
		"[[run]]\nn = 1":             "1:3: [[run]] is a list of tables: want [run]",
		"[run.sub]":                  "1:2: run.sub: want flags, and tables of commands with flags",
		"run.sub.n = 1":              "1:1: run.sub.n: want flags, and tables of commands with flags",
		"n = {a = 1}":                "1:6: [n]: no such command takes flags from a file",
		"run = 3":                    "1:1: run: want a table of flags, as in [run]",
		"n = 'x'":                    "1:5: n = x: want an integer",
		"n = 1.5":                    "1:5: n = 1.5: want an integer",
		"n = 99999999999999999":      "",
		"n = [1]":                    "1:6: 1: want strings in the list",
		"n = ['1']":                  "1:1: n = a list: want an integer",
		"all = 'yes'":                "1:7: all = yes: want true or false",
		"min = 3":                    `1:7: min = 3: want a duration in quotes, as in "10us"`,
		"min = 'x'":                  `1:7: invalid argument "x" for "--min" flag: time: invalid duration "x"`,
		"factor = '2'":               "1:10: factor = 2: want a number",
		"pattern = ['a']":            "1:1: pattern = a list: want a string",
		"lists = true":               "1:9: lists = true: want a list of strings, or a string",
		"lists = [['a']]":            "1:1: lists: want strings in the list",
		"out = 1979-05-27":           "1:7: out = 1979-05-27: want a string",
		"n = 1\nn = 2":               "2:1: key n is already defined",
		"# found\nout = 'x'":         "2:1: out: a file that comes with a project may not say where to write: give --out, or name the file by --config",
		"# found\n[report]\nout='x'": "3:1: out: a file that comes with a project may not say where to write: give --out, or name the file by --config",
		"n = ":                       "1:4: expected value, not end of input",
	} {
		_, _, err := apply(t, text)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: no error, want %s", text, want)
			continue
		}
		_, got, _ := strings.Cut(err.Error(), "waymark.toml:")
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestLocate(t *testing.T) {
	_, set, err := apply(t, "pattern = '('\n", "--n=3")
	if err != nil {
		t.Fatal(err)
	}
	for text, located := range map[string]bool{
		"--pattern: bad": true, "--pattern=(: bad": true, "--n=3: bad": false, "--nosuch: x": false, "pattern: bad": false, "--": false,
	} {
		got := Locate(set, errorString(text)).Error()
		if ok := strings.HasSuffix(got, "waymark.toml:1:11: "+text); ok != located || !strings.HasSuffix(got, text) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

type errorString string

func (e errorString) Error() string { return string(e) }

// FuzzApply checks that no file does more harm than an error with the file's name.
func FuzzApply(f *testing.F) {
	f.Add("lists = ['a', \"b\\n\"]\n[run]\nn = 1 # x\nall=true")
	f.Add("run = { n = 5 }\n'a b'.c = '''x\n'''\n[[z]]\n[x.y]")
	f.Fuzz(func(t *testing.T, text string) {
		if _, _, err := apply(t, text); err != nil && !strings.Contains(err.Error(), "waymark.toml:") {
			t.Errorf("%v", err)
		}
	})
}
