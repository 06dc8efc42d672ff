package seen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

func facts(build string) []format.KeyValue {
	return []format.KeyValue{{Key: format.MetaProgram, Value: "/bin/app"}, {Key: format.MetaBuild, Value: build}}
}

func pkg(base uint32, path string, names ...string) *rt.Package {
	p := &rt.Package{Base: base, Sites: make([]uint32, len(names))}
	var sites []format.Site
	for i, n := range names {
		sites = append(sites, format.Site{Name: path + "." + n, File: "/src/f.go", Line: i + 1})
	}
	p.Table = string(format.AppendTable(nil, path, sites))
	return p
}

// mark sets the bits of a site as the hook of its first call does.
func (f *File) mark(id uint32) {
	half := (format.SeenTables - format.SeenBits) / 2
	for _, at := range []int{format.SeenBits, format.SeenBits + half} {
		f.mem[at+int(id/8)] |= 1 << (id % 8)
	}
}

func said(t *testing.T) *string {
	text := new(string)
	t.Cleanup(console.Divert(func(b []byte) { *text += string(b) }))
	return text
}

// names returns the functions of a file, those that were called with a star.
func names(t *testing.T, path string) (list string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := format.ParseSeen(b)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, s := range f.Sites {
		list += " " + s.Name
		if s.Called {
			list += "*"
		}
	}
	return list
}

// Processes of a build share a file, whenever they begin; another build gets a name of its own.
func TestShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.seen")
	p, q := pkg(1, "p", "A", "B"), pkg(3, "q", "C")
	var wg sync.WaitGroup
	for i := uint32(0); i < 8; i++ {
		i := i
		wg.Add(1)
		go func() {
			defer wg.Done()
			f, err := Start(path, facts("one"))
			if err != nil {
				t.Error(err)
				return
			}
			f.Register(p)
			f.Register(pkg(3, "nothing"))
			f.Register(q)
			f.mark(1 + i%2)
		}()
	}
	wg.Wait()
	if got, want := names(t, path), " p.A* p.B* q.C"; got != want {
		t.Errorf("functions%s, want%s", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
	}
	text := said(t)
	f, err := Start(path, facts("two"))
	if err != nil {
		t.Fatal(err)
	}
	f.Register(q)
	if want := filepath.Join(filepath.Dir(path), "app-2.seen"); f.Path != want || !strings.Contains(*text, "app.seen is of another build") {
		t.Errorf("the file of another build is %s, want %s; said %q", f.Path, want, *text)
	}
	if got, want := names(t, f.Path), " q.C"; got != want {
		t.Errorf("functions of the other build%s, want%s", got, want)
	}
}

// What a kill leaves is completed by the next process.
func TestAfterKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.seen")
	p, q := pkg(1, "p", "A", "B"), pkg(3, "q", "C")
	f, err := Start(path, facts("one"))
	if err != nil {
		t.Fatal(err)
	}
	f.Register(p)
	f.Register(q)
	f.mark(3)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := format.SeenTables + len(format.AppendSeenTable(nil, 1, p.Table))
	for _, size := range []int{0, 100, format.SeenTables, format.SeenTables + 3, end - 1, end, end + 9, len(whole)} {
		cut := whole[:size]
		if size == 100 {
			cut = make([]byte, size) // the head is written last
		}
		if err := os.WriteFile(path, cut, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Start(path, facts("one"))
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		f.Register(p)
		f.Register(q)
		want := " p.A p.B q.C*"
		if size <= 100 {
			want = " p.A p.B q.C"
		}
		if got := names(t, path); got != want {
			t.Errorf("%d bytes: functions%s, want%s", size, got, want)
		}
	}
}

// What is at the path and isn't a seen file stays as it is.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("notes\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	link, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	if err := errors.Join(os.Symlink(text, link), syscall.Mkfifo(fifo, 0o666)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		text: "not a file of WAYMARK=seen", link: "too many levels", fifo: "not a regular file", dir: "is a directory",
		filepath.Join(dir, "no", "app.seen"): "no such file",
	} {
		if _, err := Start(path, facts("one")); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error with %q", path, err, want)
		}
	}
	if b, err := os.ReadFile(text); err != nil || string(b) != "notes\n" {
		t.Errorf("the text is %q, %v", b, err)
	}
}

// A failure later on is said once, and the file keeps what it has.
func TestFailsLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.seen")
	f, err := Start(path, facts("one"))
	if err != nil {
		t.Fatal(err)
	}
	f.Register(pkg(1, "p", "A"))
	text := said(t)
	other, err := Start(path, facts("one"))
	if err != nil {
		t.Fatal(err)
	}
	other.Register(pkg(1, "q", "B")) // as a plugin that was loaded before
	other.Register(pkg(2, "r", "C"))
	if want := "functions of package q and of packages that are initialised later are missing"; strings.Count(*text, "\n") != 1 || !strings.Contains(*text, want) {
		t.Errorf("said %q, want a line with %q", *text, want)
	}
	*text = ""
	os.Remove(path)
	f.Register(pkg(2, "s", "D"))
	if !strings.Contains(*text, "no such file") {
		t.Errorf("said %q of a file that was removed", *text)
	}
	big, err := Start(path, facts("one"))
	if err != nil {
		t.Fatal(err)
	}
	*text = ""
	big.Register(pkg(format.SeenSites, "t", "E"))
	if !strings.Contains(*text, "more than 507904 functions") {
		t.Errorf("said %q of too many functions", *text)
	}
}

func TestBuild(t *testing.T) {
	note := append([]byte("\x7fELF...."), "\x04\x00\x00\x00\x05\x00\x00\x00\x04\x00\x00\x00Go\x00\x00ab/cd\x00\x00\x00"...)
	if id := build(note); id != "ab/cd" {
		t.Errorf("id %q, want ab/cd", id)
	}
	for n := range note[:len(note)-3] {
		if id := build(note[:n]); id != "" {
			t.Errorf("id %q of %d bytes", id, n)
		}
	}
	if buildID("") == "" || bytes.Count([]byte(buildID("")), []byte{0}) > 0 {
		t.Errorf("the test's own id is %q", buildID(""))
	}
}

// What tests call is attributed to all that run at the time.
func TestOfTests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.seen")
	f, err := Start(path, facts("one"))
	if err != nil {
		t.Fatal(err)
	}
	f.Register(pkg(1, "p", "A", "B", "C", "D"))
	latest := make([]uint32, 1)
	resets := 0
	ts := newTests(f, "p", func() []uint32 { b := []uint32{latest[0]}; latest[0] = 0; return b }, func() { resets++ })
	call := func(ids ...int) {
		for _, id := range ids {
			latest[0] |= 1 << id
		}
	}
	call(4)
	ts.Tell(format.TestBegins, "TestOne")
	call(1)
	ts.Tell(format.TestBegins, "TestOne/sub")
	call(2)
	ts.Tell(format.TestPasses, "TestOne/sub")
	ts.Tell(format.TestLogs, "TestOne")
	ts.Tell(format.TestPasses, "TestOne")
	ts.Tell(format.TestBegins, "TestTwo")
	ts.Tell(format.TestPauses, "TestTwo")
	ts.Tell(format.TestBegins, "TestThree")
	call(3)
	ts.Tell(format.TestPauses, "TestThree")
	ts.Tell(format.TestContinues, "TestTwo")
	call(1)
	ts.Tell(format.TestContinues, "TestThree")
	call(2)
	ts.Tell(format.TestFails, "TestTwo")
	call(4)
	ts.Tell(format.TestPanics, "TestThree")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := format.ParseSeen(b)
	want := []format.SeenTest{
		{Package: "p", Test: "TestOne", Sites: []uint32{1, 2}},
		{Package: "p", Test: "TestThree", Sites: []uint32{3}},
		{Package: "p", Test: "TestTwo", Overlapped: true, Sites: []uint32{1, 2}},
		{Package: "p", Test: "TestThree", Overlapped: true, Sites: []uint32{2, 4}},
	}
	if err != nil || !reflect.DeepEqual(got.Tests, want) {
		t.Errorf("%+v, %v; want %+v", got.Tests, err, want)
	}
	if resets == 0 {
		t.Error("functions were not armed again")
	}
	if got, want := names(t, path), " p.A p.B p.C p.D"; got != want {
		t.Errorf("functions%s, want%s", got, want)
	}
}
