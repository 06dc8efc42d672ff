package agent

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

func TestParse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(file, []byte("record\n\no=from,file\noverflow=drop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	base := defaults()
	with := func(f func(*options)) options { o := base; f(&o); return o }
	for _, c := range []struct {
		env  string
		want options
		err  string // part of the error
	}{
		{env: "record", want: with(func(o *options) { o.Record = true })},
		{env: "record=1,", want: with(func(o *options) { o.Record = true })},
		{env: "record=0", want: base},
		{env: "record,count,budget=10%", err: "WAYMARK, character 14: budget=10%: want stats in place of count"},
		{env: ",, o=a.wmt , overflow=drop", want: with(func(o *options) { o.Path, o.Overflow = "a.wmt", rt.Drop })},
		{env: `output=a\,b\\c,buffers=2097152`, want: with(func(o *options) { o.Path, o.Buffers = `a,b\c`, 2097152 })},
		{env: "o=a=b", want: with(func(o *options) { o.Path = "a=b" })},
		{env: "overflow=ring,buffers=64MiB,window=1.5s,dump-at-exit", want: with(func(o *options) {
			o.Overflow, o.Buffers, o.Window, o.DumpAtExit = rt.Ring, 64<<20, 1500*time.Millisecond, true
		})},
		{env: "max-size=1GB,rotate=3,dump-at-exit=0", want: with(func(o *options) { o.MaxSize, o.Rotate = 1e9, 3 })},
		{env: "suspend", want: with(func(o *options) { o.Suspend = true })},
		{env: "suspend,agent=0", err: "WAYMARK, character 1: suspend=1: want no agent=0 with it"},
		{env: "o=%n-%p.%%.wmt", want: with(func(o *options) { o.Path = "%n-%p.%%.wmt" })},
		{env: "o=100%.wmt", err: "WAYMARK, character 1: o=100%.wmt: unknown placeholder %.: want %p"},
		{env: "output=x%", err: "output=x%: a % at the end"},
		{env: "args=0,results,arg-depth=3,arg-bytes=16,stringers=0", want: with(func(o *options) {
			o.Capture.Args, o.Capture.Depth, o.Capture.Bytes, o.Capture.Stringers = false, 3, 16, false
		})},
		{env: `redact=none\,PIN\, iban`, want: with(func(o *options) { o.Capture.Redact = []string{"pin", "iban"} })},
		{env: "arg-depth=11", err: "character 1: arg-depth=11: want 0 to 10"},
		{env: "arg-bytes=-1", err: "arg-bytes=-1: want 0 to 8192"},
		{env: "args=some", err: "args=some: want 1 or 0"},
		{env: "record=perhaps", err: "WAYMARK, character 1: record=perhaps: want 1 or 0"},
		{env: "record,o=", err: "WAYMARK, character 8: o: want the path of a file"},
		{env: "record,overflow=x", err: "character 8: overflow=x: want block, drop or ring"},
		{env: "buffers=1", err: "at least 2097152"},
		{env: "buffers=many", err: "buffers=many: want a number of bytes, as in"},
		{env: "record,window=0s,overflow=ring", err: "character 8: window=0s: want a time above 0"},
		{env: "overflow=ring,window=-1s", err: "window=-1s: want a time above 0"},
		{env: "overflow=ring,window=0", err: "window=0: want a time above 0"},
		{env: "record,window=10s", err: "character 8: window=10s: want overflow=ring with it"},
		{env: "dump-at-exit,overflow=drop", err: "character 1: dump-at-exit=1: want overflow=ring with it"},
		{env: "overflow=ring,dump-at-exit=maybe", err: "dump-at-exit=maybe: want 1 or 0"},
		{env: "max-size=999999", err: "max-size=999999: want at least 1000000 bytes"},
		{env: "max-size=big", err: "max-size=big: want a number of bytes, as in"},
		{env: "overflow=ring,max-size=1GB", err: "character 15: max-size=1000000000: want overflow=block or drop with it"},
		{env: "record,rotate=3", err: "character 8: rotate=3: want max-size with it"},
		{env: "max-size=1GB,rotate=0", err: "rotate=0: want the number of parts to keep, 1 or more"},
		{env: `p=main.*,x=/^main\.f{1\,2}$/,i=5,top=0,count,histogram=0`, want: with(func(o *options) {
			o.Include, o.Exclude = []string{"main.*"}, []string{`/^main\.f{1,2}$/`}
			o.Stats = statistics{On: true, Every: 5 * time.Second, Count: true}
		})},
		{env: "stats,report=json:a-%p.json,d=3,t=@IO,t=main.F", want: with(func(o *options) {
			o.Stats.On, o.Stats.Report = true, output{JSON: true, Path: "a-%p.json"}
			o.Detail, o.Print = 3, []string{"@IO", "main.F"}
		})},
		{env: "tree", want: with(func(o *options) { o.Stats.On, o.Stats.Tree = true, true })},
		{env: "count,tree", err: "WAYMARK, character 7: tree=1: want no count with it"},
		{env: "count,waiting", err: "WAYMARK, character 7: waiting=1: want no count with it"},
		{env: "report=text:3", want: with(func(o *options) { o.Stats.On, o.Stats.Report = true, output{FD: 3} })},
		{env: `p:main\..*#t:Read|Write#d:2#i:1`, want: with(func(o *options) {
			o.alias, o.Include, o.Print = true, []string{`/^(?:main\..*)$/`}, []string{"/Read|Write/"}
			o.Detail, o.Stats.On, o.Stats.Every = 2, true, time.Second
		})},
		{env: `t:a\#b\:c`, want: with(func(o *options) { o.alias, o.Print = true, []string{"/a#b:c/"} })},
		{env: "p=", err: "character 1: p: want a pattern"},
		{env: "traces", err: "character 1: traces: want a pattern"},
		{env: "traces=a,keep=fast", err: "character 10: keep=fast: want slowest:N, slowest:N/PERIOD, p99, failed"},
		{env: "traces=a,keep=slowest:2/often", err: "character 10: keep=slowest:2/often: want"},
		{env: "traces=a,keep=slowest:2/1ms", err: "character 10: keep=slowest:2/1ms: want a period of 1 s or more"},
		{env: "traces=a,keep=path:/a?b=1", err: "character 10: keep=path:/a?b=1: want a path without a query"},
		{env: "traces=a,keep=path:/" + strings.Repeat("a", 90), err: "want a path without a query, of at most 90 bytes"},
		{env: "traces=a,keep=longer:2s/1m", err: "character 10: keep=longer:2s/1m: want"},
		{env: "traces=a,keep=p100", err: "character 10: keep=p100: want"},
		{env: "traces=a,keep=99", err: "character 10: keep=99: want"},
		{env: "traces=a,keep=slowest:0", err: "character 10: keep=slowest:0: want"},
		{env: "traces=a,keep=longer:5", err: "character 10: keep=longer:5: want"},
		{env: "traces=a,keep=failed:2", err: "character 10: keep=failed:2: want"},
		{env: "traces=a,otlp=collector:4318", err: "character 10: otlp=collector:4318: want the URL of a collector"},
		{env: "traces=a,otlp=http://:4318", err: "character 10: otlp=http://:4318: want the URL of a collector"},
		{env: "stats,otlp=http://c:4318", err: "character 7: otlp=http://c:4318: want traces=PATTERN, too"},
		{env: "stats,keep=failed", err: "character 7: keep=failed: want traces=PATTERN, too"},
		{env: "record,out=f", err: `character 8: unknown key "out": it is output now`},
		{env: "traces=a,traces-out=f", err: `character 10: unknown key "traces-out": it is output now`},
		{env: "stats,p=/[/", err: "character 7: p=/[/: pattern /[/: error parsing regexp"},
		{env: "p:[#i:1", err: "character 1: p=[: pattern /^(?:[)$/: error parsing regexp"},
		{env: "p:a#y:z", err: `character 5: unknown key "y"`},
		{env: "i=-1", err: "i=-1: want 0 or a time, as in 10s"},
		{env: "d=5", err: "d=5: want 0 to 4"},
		{env: "report=xml:a", err: "report=xml:a: want text or json"},
		{env: "report=json:0", err: "report=json:0: want a descriptor above 0"},
		{env: "report=json:a%", err: "report=a%: a % at the end"},
		{env: "record,tracing", err: `character 8: unknown key "tracing"`},
		{env: "recrod", err: `character 1: unknown key "recrod"; is it record?`},
		{env: "Record", err: `unknown key "Record"; is it record?`},
		{env: "record,overflw=ring", err: `character 8: unknown key "overflw"; is it overflow?`},
		{env: "record,max_size=1GB", err: `character 8: unknown key "max_size"; is it max-size?`},
		{env: "@" + file, err: file + ", character 16: no key that WAYMARK has"},
		{env: "@" + file + "x", err: "no such file"},
	} {
		got, err := parseEnv(c.env)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v; want one with %q", c.env, err, c.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.env, got, err, c.want)
		}
	}
}

// Errors about a file don't show what it holds. The file may be another one than was meant,
// and the program may be allowed to read what its caller isn't.
func TestFileErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shadow")
	for text, want := range map[string]string{
		"root:$y$secret:20000\nbin:*": "character 1: no key that WAYMARK has",
		"recrod=secret":               "character 1: no key that WAYMARK has",
		"record,secret":               "character 8: no key that WAYMARK has",
		"record\nd=secret":            "character 8: d: a value that d can't have",
		"record\nwindow=secret":       "character 8: window: a value that window can't have",
		"traces=a,keep=secret":        "character 10: keep: a value that keep can't have",
		"t=/secret(/":                 "character 1: t: a value that t can't have",
		"if=secret":                   "character 1: if: a value that if can't have",
		"p:[secret#i:1":               "character 1: p: a value that p can't have",
		"o=%secret":                   "character 1: o: a value that o can't have",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := parseEnv("@" + path); err == nil || err.Error() != path+", "+want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func parseEnv(env string) (options, error) {
	s, err := load(env)
	if err != nil {
		return options{}, err
	}
	return parse(s)
}

// What was loaded from a file stays when the program removes it.
func TestLoadedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(path, []byte("redact=iban\nargs=0"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := load("@" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if v := values(settings{text: "redact=pin"}, s); v.Args || !slices.Contains(v.Redact, "iban") || !slices.Contains(v.Redact, "pin") {
		t.Errorf("%+v, want no arguments, iban and pin redacted", v)
	}
}

// Each key of the table is known, and changes something.
func TestKeys(t *testing.T) {
	valid := map[setting.Kind]string{
		setting.Switch: "1", setting.Number: "3", setting.Size: "70MB", setting.Duration: "5s", setting.Share: "5%",
		setting.Path: "file", setting.SwitchPath: "file", setting.Pattern: "main.F", setting.List: "failed", setting.Text: "json",
	}
	for _, s := range setting.All {
		o := defaults()
		value := valid[s.Kind]
		switch {
		case s.Key == "if":
			continue // a program that was encoded
		case s.Key == "otlp":
			value = "http://collector:4318"
		case s.Kind == setting.Choice:
			value = s.Choices[len(s.Choices)-1]
		case s.Default == "1" && s.Kind == setting.Switch:
			value = "0"
		}
		o.objectsGiven = s.Key == "objects"
		before := o
		if err := o.set(s.Key, value); err != nil {
			t.Error(err)
		}
		before.Stats.On = o.Stats.On && s.Key != "stats"
		if reflect.DeepEqual(o, before) {
			t.Errorf("%s=%s changes nothing", s.Key, value)
		}
	}
}

// A setting of recordings is noticed where there is none.
func TestOfRecording(t *testing.T) {
	for env, want := range map[string]string{
		"": "", "stats": "", "args=0,redact=pin,t=main.F": "", "o=x": "o", "overflow=ring,window=1s": "overflow", "buffers=64MiB": "buffers", "max-size=1GB,rotate=3": "max-size",
		"output=x": "output", "seen,o=x": "", "traces=main.F,o=x": "", "seen=y,o=x": "o", "buffers=64MiB,stats": "buffers", "disk=1GB": "",
		"budget=10%": "budget", "budget=10%,stats": "", "budget=10%,p=main.*": "", "waiting": "waiting", "waiting,tree": "", "objects": "",
	} {
		o, err := parseEnv(env)
		if got := o.unrecorded(env); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", env, got, err, want)
		}
	}
}

func TestExpand(t *testing.T) {
	for _, c := range []struct{ path, program, want string }{
		{"waymark.wmt", "/bin/app", "waymark.wmt"},
		{"dir/%n.%p.wmt", "/tmp/go-build1/b001/m.test", "dir/m.test.42.wmt"},
		{"%n%n", "./app.exe", "appapp"},
		{"100%%", "app", "100%"},
		{"%%p", "app", "%p"},
		{"é%p", "app", "é42"},
	} {
		if got, err := expand(c.path, c.program, 42); err != nil || got != c.want {
			t.Errorf("%s in %s: %q, %v; want %q", c.path, c.program, got, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`record,o=a\,b,overflow=drop`)
	f.Add(`p:main\..*#t:Read|Write#d:2#i:1`)
	f.Add(`p=main.*,x=/a\,b/,report=json:f,top=3`)
	f.Add(`overflow=ring,buffers=64MiB,window=10s,max-size=1GB,rotate=2`)
	f.Fuzz(func(t *testing.T, env string) {
		if strings.HasPrefix(env, "@") {
			return
		}
		o, err := parseEnv(env)
		if err == nil && o.Path == "" {
			t.Errorf("%q: no path and no error", env)
		}
		if _, err2 := expand(o.Path, "app", 1); err == nil && err2 != nil {
			t.Errorf("%q: a path that can't be used: %v", env, err2)
		}
	})
}
