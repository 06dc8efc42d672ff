package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T) *Cache {
	t.Helper()
	t.Setenv("WAYMARKCACHE", filepath.Join(t.TempDir(), "cache"))
	c, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPut(t *testing.T) {
	c := open(t)
	a, err := c.Put([]byte("content"), ".go")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := c.Put([]byte("content"), ".go"); err != nil || a != b {
		t.Errorf("the same content has the paths %s and %s, %v", a, b, err)
	}
	if b, _ := c.Put([]byte("other"), ".go"); a == b {
		t.Error("other content has the same path")
	}
	if !Holds(a) {
		t.Error("an entry doesn't hold what was put there")
	}
	// A file that a crash of the system has damaged is written again.
	for _, damage := range []string{"", "con", "\x00\x00\x00\x00\x00\x00\x00"} {
		if err := os.WriteFile(a, []byte(damage), 0o644); err != nil {
			t.Fatal(err)
		}
		if Holds(a) {
			t.Errorf("an entry holds %q", damage)
		}
		c.Put([]byte("content"), ".go")
		if got, err := os.ReadFile(a); err != nil || string(got) != "content" {
			t.Errorf("damaged entry reads %q, %v", got, err)
		}
	}
	if test, err := c.Put([]byte("content"), "_test.go"); err != nil || !Holds(test) {
		t.Errorf("%s doesn't hold its content, %v", test, err)
	}
}

func TestNamed(t *testing.T) {
	c := open(t)
	if _, ok := c.Get("x"); ok {
		t.Error("there is an entry that nobody has made")
	}
	for _, content := range []string{"content", "", "two\nlines"} {
		if err := c.Set("x", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get("x"); !ok || string(got) != content {
			t.Errorf("got %q, %v; want %q", got, ok, content)
		}
		path := filepath.Join(c.Dir, "named", "x")
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, damage := range []string{"", string(whole[:10]), string(whole) + "x", strings.Repeat("\x00", len(whole))} {
			if err := os.WriteFile(path, []byte(damage), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, ok := c.Get("x"); ok {
				t.Errorf("%q in place of %q reads %q", damage, whole, got)
			}
		}
	}
}

func TestTree(t *testing.T) {
	c := open(t)
	if _, err := c.Tree("x", func(string) error { return errors.New("no") }); err == nil {
		t.Error("no error")
	}
	made := 0
	fill := func(dir string) error {
		made++
		return os.WriteFile(filepath.Join(dir, "f"), nil, 0o644)
	}
	for range 2 {
		dir, err := c.Tree("x", fill)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "f")); err != nil {
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
	// What isn't as it was made is made again.
	for name, damage := range map[string]func(file string) error{
		"garbage":     func(file string) error { return os.WriteFile(file, []byte("x"), 0o644) },
		"a file gone": os.Remove,
		"a file more": func(file string) error { return os.WriteFile(file+"2", nil, 0o644) },
		"no checksum": func(file string) error { return os.Remove(filepath.Join(filepath.Dir(file), "..", sumName)) },
		"no tree":     func(file string) error { return os.RemoveAll(filepath.Dir(file)) },
		"no folder": func(file string) error {
			dir := filepath.Dir(filepath.Dir(file))
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644))
		},
	} {
		made = 0
		dir, _ := c.Lookup("x")
		if err := damage(filepath.Join(dir, "f")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if dir, err := c.Tree("x", fill); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got, err := os.ReadDir(dir); err != nil || len(got) != 1 || got[0].Name() != "f" {
				t.Errorf("%s: the folder has %v, %v", name, got, err)
			}
		}
		if made != 1 {
			t.Errorf("%s: made %d times", name, made)
		}
	}
	// Of several builds that make a tree at a time, all get a whole one.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			dir, err := c.Tree("y", func(dir string) error { return os.WriteFile(filepath.Join(dir, "f"), []byte("y"), 0o644) })
			if err != nil {
				t.Error(err)
			} else if got, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(got) != "y" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wg.Wait()
	// The copy of a file may find no room.
	_, err := c.Tree("z", func(dir string) error {
		return &os.PathError{Op: "write", Path: filepath.Join(dir, "f"), Err: errors.New("no space left on device")}
	})
	if err == nil || !strings.Contains(err.Error(), "set WAYMARKCACHE") {
		t.Errorf("without room: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(c.Dir, "trees", ".tmp-*")); left != nil {
		t.Errorf("left over: %q", left)
	}
}

func TestTrim(t *testing.T) {
	c := open(t)
	c.Limit = 2500
	var paths []string
	for i, age := range []time.Duration{5 * time.Hour, 4 * time.Hour, 3 * time.Hour, 0} {
		path, err := c.Put([]byte(strings.Repeat(string(rune('a'+i)), 1000)), ".go")
		if err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-age)
		if err := os.Chtimes(path, used, used); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if err := c.Trim(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, false, true, true} {
		if _, err := os.Stat(paths[i]); (err == nil) != want {
			t.Errorf("entry %d is there: %v; want %v: the oldest go first, down to the limit", i, err == nil, want)
		}
	}
	// What was just used stays, whatever the limit; and it looks once an hour.
	c.Limit = 0
	if err := c.trim(time.Now().Add(-grace)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(paths[3]); err != nil {
		t.Error("an entry in use was removed")
	}
	n, err := c.Clean()
	if err != nil || n != 1000 {
		t.Errorf("clean: %d bytes, %v", n, err)
	}
}

// A cache that can't be written to can be used, as far as it goes. Whatever adds to
// such a cache returns an error that says what to do.
func TestReadOnly(t *testing.T) {
	c := open(t)
	path, err := c.Put([]byte("used"), ".go")
	if err != nil {
		t.Fatal(err)
	}
	// Root may write to any folder: what can't be replaced is there in place of files.
	old := time.Now().Add(-2 * grace)
	for _, name := range []string{"trimmed", "named", "trees"} {
		name = filepath.Join(c.Dir, name)
		if name != filepath.Join(c.Dir, "trimmed") {
			err = os.WriteFile(name, nil, 0o444)
		} else if err = os.Mkdir(name, 0o755); err == nil {
			err = os.Chtimes(name, old, old)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if again, err := c.Put([]byte("used"), ".go"); err != nil || again != path {
		t.Errorf("%s, %v", again, err)
	}
	if err := c.Trim(); err != nil {
		t.Error(err)
	}
	_, err = c.Tree("new", func(string) error { return nil })
	for _, err := range []error{err, c.Set("new", nil)} {
		if err == nil || !strings.Contains(err.Error(), "set WAYMARKCACHE to a folder that can be written") {
			t.Errorf("what can't be added: %v", err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WAYMARKCACHE", filepath.Join(file, "cache"))
	if _, err := Open(); err == nil || !strings.Contains(err.Error(), "WAYMARKCACHE") {
		t.Errorf("cache below a file: %v", err)
	}
	t.Setenv("WAYMARKCACHE", t.TempDir())
	t.Setenv("WAYMARKCACHESIZE", "big")
	if _, err := Open(); err == nil || !strings.Contains(err.Error(), "megabytes") {
		t.Errorf("WAYMARKCACHESIZE=big: %v", err)
	}
}
