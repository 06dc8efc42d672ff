package callgraph

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// random returns a tree of about size nodes, sampled or exact.
func random(r *rand.Rand, size int, sampled bool) *Tree {
	t := &Tree{Root: new(Node), From: time.Unix(1000, 0).UTC(), To: time.Unix(1003, 0).UTC()}
	if sampled {
		t.Sampling = &Sampling{Rate: 99, Samples: 300, Limit: 0.05, Goroutines: 3, Seen: 900, Counted: 900, Max: 1000}
	}
	paths := [][]*Node{{t.Root}}
	for i := 0; i < size; i++ {
		path := paths[r.Intn(len(paths))]
		name := fmt.Sprintf("example.com/m/p%d.(*T[...]).f%d", r.Intn(3), r.Intn(20))
		at := path[len(path)-1]
		n := at.Child(name)
		if n == nil {
			n = &Node{Func: Func{Name: name, Package: "example.com/m/p", File: "/src/p.go", Line: 1 + len(name)}}
			at.Children = append(at.Children, n)
			path = append(path[:len(path):len(path)], n)
			paths = append(paths, path)
		}
		self := time.Duration(r.Intn(1_000_000))
		for _, n := range path {
			n.Total += self
			if sampled {
				n.Samples++
				n.CPU += self / 2
				n.Ready += self / 8
				n.Syscall += self / 16
			}
		}
		if !sampled {
			n.Calls++
		}
	}
	t.Sort()
	return t
}

func TestJSON(t *testing.T) {
	for _, sampled := range []bool{false, true} {
		want := random(rand.New(rand.NewSource(1)), 500, sampled)
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Tree
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(&got, want) {
			t.Errorf("sampled %v: read back, the tree is\n%s, want\n%s", sampled, &got, want)
		}
	}
	if err := new(Tree).UnmarshalJSON([]byte(`{"root":7}`)); err == nil {
		t.Error("a root that is a number is no error")
	}
}

// Folded stacks, read back, are the times that nodes have themselves.
func TestFolded(t *testing.T) {
	tree := random(rand.New(rand.NewSource(2)), 500, true)
	odd := &Node{Func: Func{Name: "p.F[struct { a; b }]\r"}, Total: 7} // a line by itself to some readers
	tree.Root.Children = append(tree.Root.Children, odd)
	want := make(map[string]int64)
	tree.Walk(func(path []*Node) {
		var names []string
		for _, n := range path[1:] {
			names = append(names, strings.NewReplacer(";", ":", "\r", " ").Replace(n.Func.Name))
		}
		if self := path[len(path)-1].Self(); self > 0 && len(names) > 0 {
			want[strings.Join(names, ";")] += int64(self)
		}
	})
	var b bytes.Buffer
	if err := tree.WriteFolded(&b); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int64)
	for lines := bufio.NewScanner(&b); lines.Scan(); {
		line := lines.Text()
		space := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseInt(line[space+1:], 10, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got[line[:space]] += n
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back: %v, want %v", got, want)
	}
	if len(got) < 100 {
		t.Errorf("%d stacks, want many", len(got))
	}
}

// The pprof of the Go distribution reads what WritePprof writes, and adds up the same.
func TestPprof(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	for _, sampled := range []bool{false, true} {
		tree := random(rand.New(rand.NewSource(3)), 300, sampled)
		file := filepath.Join(t.TempDir(), "tree.pprof")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.WritePprof(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		values := map[string]func(*Node) int64{"time": func(n *Node) int64 { return int64(n.Self()) }, "calls": func(n *Node) int64 { return n.Calls }}
		if sampled {
			values = map[string]func(*Node) int64{
				"time": func(n *Node) int64 { return int64(n.Self()) }, "cpu": func(n *Node) int64 { return int64(n.SelfCPU()) }, "samples": (*Node).SelfSamples,
			}
		}
		for name, value := range values {
			flat := make(map[string]int64)
			tree.Walk(func(path []*Node) {
				n := path[len(path)-1]
				if v := value(n); v != 0 && n.Func.Name != "" {
					flat[n.Func.Name] += v
				}
			})
			got := top(t, file, "-sample_index="+name)
			for function, want := range flat {
				if got[function] != want {
					t.Errorf("sampled %v: %s of %s is %d, want %d", sampled, name, function, got[function], want)
				}
			}
			if len(flat) < 20 {
				t.Errorf("%d functions have %s, want many", len(flat), name)
			}
		}
		// Without -sample_index it is time.
		if a, b := top(t, file), top(t, file, "-sample_index=time"); !reflect.DeepEqual(a, b) {
			t.Errorf("the default is not time: %v, want %v", a, b)
		}
		raw := pprof(t, "-raw", file)
		for _, note := range tree.Notes() {
			if !strings.Contains(raw, note) {
				t.Errorf("the profile lacks the comment %q:\n%s", note, raw)
			}
		}
		if !strings.Contains(raw, "/src/p.go") {
			t.Errorf("the profile lacks the file:\n%s", raw)
		}
	}
}

// top returns what pprof says that functions have themselves.
func top(t *testing.T, file string, flags ...string) map[string]int64 {
	t.Helper()
	args := append([]string{"-top", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0", "-unit=ns"}, flags...)
	out := pprof(t, append(args, file)...)
	flat := make(map[string]int64)
	for _, m := range regexp.MustCompile(`(?m)^ *(\d+)(?:ns)? .*%  (\S+)(?: \(inline\))?$`).FindAllStringSubmatch(out, -1) {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		flat[m[2]] = n
	}
	return flat
}

func pprof(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", "pprof"}, args...)...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
	}
	return string(out)
}

func TestText(t *testing.T) {
	leaf := &Node{Func: Func{Name: "example.com/m/a.F"}, Calls: 1234, Total: 30}
	tree := &Tree{Root: &Node{Func: Func{Name: "main.main"}, Calls: 1, Total: 100, Children: []*Node{
		{Func: Func{Name: "example.com/m/b/a.F"}, Calls: 2, Total: 60, Children: []*Node{leaf}}}}}
	for _, c := range []struct {
		text Text
		want string
	}{
		{Text{}, "100% (1 call) main.main\n  60% (2 calls) b/a.F\n    30% (1,234 calls) m/a.F\n"},
		{Text{OfParent: true, FullNames: true}, "100% (1 call) main.main\n  60% (2 calls) example.com/m/b/a.F\n    50% (1,234 calls) example.com/m/a.F\n"},
		{Text{Depth: 1}, "100% (1 call) main.main\n\n2 nodes left out\n"},
		{Text{MinShare: 0.31}, "100% (1 call) main.main\n  60% (2 calls) b/a.F\n\n1 node left out\n"},
	} {
		c.text.Tree = tree
		var b strings.Builder
		if _, err := c.text.WriteTo(&b); err != nil || b.String() != c.want {
			t.Errorf("%+v: error %v, got\n%s, want\n%s", c.text, err, b.String(), c.want)
		}
	}
	if got := new(Tree).String(); got != "" {
		t.Errorf("the empty tree is %q", got)
	}

	// Goroutines at the top, and the parts of their time.
	tree = &Tree{
		Root: &Node{Samples: 2, Total: 200, CPU: 20, Children: []*Node{
			{Func: Func{Name: "main.main"}, Samples: 1, Total: 100, CPU: 20, Ready: 60, Syscall: 20},
			{Func: Func{Name: "main.work"}, Samples: 1, Total: 100}}},
		From: time.Unix(0, 0), To: time.Unix(0, 5e8),
		Sampling:     &Sampling{Rate: 99, Samples: 5, Slowed: 4, Limit: 0.05, Cost: 1e7, Goroutines: 10_000, Seen: 50_000, Counted: 500, Max: 100, Skipped: 1, Cut: 3},
		DroppedNodes: 2,
	}
	want := `50% (10% cpu, 30% ready, 10% syscall) main.main
50% (0% cpu) main.work

5 samples in 500.000 ms, 10 of 99 per second, up to 10,000 goroutines
4 samples came later than asked for, to take 5 % of one CPU at most; all took 2 %
a random part of the goroutines: 500 stacks of 50,000, at most 100 per sample
1 sample not taken: too many goroutines
3 stacks without the outermost calls: run with GODEBUG=profstackdepth=1000 to see deeper ones
the tree is full: 2 paths end early
`
	if got := tree.String(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if got := tree.Root.Children[0].Waiting(); got != 0 {
		t.Errorf("main.main waited %v, want 0", got)
	}
	if got := tree.Root.Children[1].Waiting(); got != 100 {
		t.Errorf("main.work waited %v, want 100 ns", got)
	}
}
