package agent

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
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
		{env: ",, o=a.wmt , overflow=drop", want: with(func(o *options) { o.Out, o.Overflow = "a.wmt", "drop" })},
		{env: `out=a\,b\\c,buffers=2097152`, want: with(func(o *options) { o.Out, o.Buffers = `a,b\c`, 2097152 })},
		{env: "o=a=b", want: with(func(o *options) { o.Out = "a=b" })},
		{env: "o=%n-%p.%%.wmt", want: with(func(o *options) { o.Out = "%n-%p.%%.wmt" })},
		{env: "o=100%.wmt", err: "WAYMARK, character 1: o=100%.wmt: unknown placeholder %.: want %p"},
		{env: "out=x%", err: "out=x%: a % at the end"},
		{env: "record=perhaps", err: "WAYMARK, character 1: record=perhaps: want 1 or 0"},
		{env: "record,o=", err: "WAYMARK, character 8: o: want the path of a file"},
		{env: "record,overflow=x", err: "character 8: overflow=x: want block or drop"},
		{env: "buffers=1", err: "at least 2097152"},
		{env: "buffers=many", err: "want a number of bytes"},
		{env: "record,tracing", err: `character 8: unknown key "tracing"`},
		{env: "@" + file, err: `unknown key "file"`},
		{env: "@" + file + "x", err: "no such file"},
	} {
		got, err := parse(c.env)
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
	f.Fuzz(func(t *testing.T, env string) {
		if strings.HasPrefix(env, "@") {
			return
		}
		o, err := parse(env)
		if err == nil && o.Out == "" {
			t.Errorf("%q: no path and no error", env)
		}
		if _, err2 := expand(o.Out, "app", 1); err == nil && err2 != nil {
			t.Errorf("%q: a path that can't be used: %v", env, err2)
		}
	})
}
