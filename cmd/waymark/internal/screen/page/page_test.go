package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// reportOf reads a made-up recording of functions A, B and so on, with these names.
func reportOf(t *testing.T, text string, names ...string) *report.Report {
	t.Helper()
	events, err := calltreetest.Events(text)
	if err != nil {
		t.Fatal(err)
	}
	table := calltreetest.Table{Package: "m"}
	for i, name := range names {
		table.Sites = append(table.Sites, format.Site{Name: name, File: "/src/m.go", Line: i + 1})
	}
	r := &calltreetest.Recording{Path: "/tmp/m.wmt", Events: events, Tables: []calltreetest.Table{table}}
	if len(events) > 0 {
		r.End = events[len(events)-1].Clock + 1000
	}
	f, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	set, err := tracefile.Join([]*tracefile.File{f})
	if err != nil {
		t.Fatal(err)
	}
	out := report.New(report.Options{Tree: true})
	if err := out.Read(set); err != nil {
		t.Fatal(err)
	}
	return out
}

// write returns the page and what its script reads.
func write(t *testing.T, r *report.Report, lacks ...string) (page string, d data) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, lacks); err != nil {
		t.Fatal(err)
	}
	page = b.String()
	_, text, _ := strings.Cut(page, `id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%v in %.500s", err, text)
	}
	return page, d
}

const calls = "A10 +100 B20 +50 b20 C20 B30 +7 b30 c20 a10"

// The page has the report that waymark report prints, and the tree.
func TestWrite(t *testing.T) {
	r := reportOf(t, calls, "m.main", "m.b", "m.(*T[...]).c")
	page, d := write(t, r, "1 event lost")
	var want, got any
	var b bytes.Buffer
	if err := r.Write(&b, report.JSON); err != nil {
		t.Fatal(err)
	}
	json.Unmarshal(b.Bytes(), &want)
	json.Unmarshal(d.Report, &got)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the page has report %v, want %v", got, want)
	}
	// Level by level: main, b and c below it, b below c.
	tr := d.Tree
	if want := []int{-1, 0, 0, 2}; !reflect.DeepEqual(tr.Parent, want) || tr.Count != 4 || tr.Least != 0 {
		t.Errorf("parents %v of %d, least %d, want %v of 4 and 0", tr.Parent, tr.Count, tr.Least, want)
	}
	if tr.Names[tr.Function[1]] != "m.b" || tr.Total[0] != tr.All || tr.Calls[3] != 1 || tr.Total[2] != tr.Self[2]+tr.Total[3] {
		t.Errorf("tree %+v, want m.b as the first callee, and totals that add up", tr)
	}
	if !reflect.DeepEqual(d.Lacks, []string{"1 event lost"}) {
		t.Errorf("lacks %q", d.Lacks)
	}
	if text := strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""); strings.Contains(text, "http://") || strings.Contains(text, "https://") {
		t.Error("the page names an address, want none that it could load from")
	}
}

// The policy names the script and the style by hashes that fit.
func TestPolicy(t *testing.T) {
	page, _ := write(t, reportOf(t, calls, "m.main", "m.b", "m.c"))
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	for _, part := range []struct{ directive, element string }{
		{"script-src", `(?s)<script type="module">(.*?)</script>`}, {"style-src", `(?s)<style>(.*?)</style>`},
	} {
		sum := sha256.Sum256([]byte(regexp.MustCompile(part.element).FindStringSubmatch(page)[1]))
		if want := part.directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("policy %s, want %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("policy %s, want that it forbids all else", policy)
	}
}

// No name of a function is markup.
func TestHostileNames(t *testing.T) {
	const name = `m.</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&amp;"'` + "\u2028"
	page, d := write(t, reportOf(t, "A10 a10", name))
	if got, want := d.Tree.Names[0], names.Printable(name); got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	if n := strings.Count(page, "<script"); n != 2 || strings.Contains(page, "<img") || strings.Contains(page, "<!--<") {
		t.Errorf("%d scripts, want the 2 of the page, and no markup of the name", n)
	}
}

func TestEmpty(t *testing.T) {
	_, d := write(t, reportOf(t, ""))
	if len(d.Tree.Parent) != 0 || d.Tree.All != 0 {
		t.Errorf("tree %+v, want an empty one", d.Tree)
	}
}

// Of a tree with more paths than a page has, the paths with the most time stay. The page says how
// many are left out, and below what time. The depth of a recursion is no matter.
func TestManyPaths(t *testing.T) {
	const depth = 30000
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "A%d +5 ", i+1)
	}
	for i := range depth {
		fmt.Fprintf(&b, "a%d +5 ", depth-i)
	}
	page, d := write(t, reportOf(t, b.String(), "m.f"))
	left := 0
	for _, n := range d.Tree.Left {
		left += n
	}
	if n := len(d.Tree.Parent); n > mostNodes || n < mostNodes-10 || d.Tree.Count != depth || d.Tree.Least == 0 || left != 1 {
		t.Errorf("%d of %d paths, least %d ns, %d left out at their callers, want %d of %d, and one whose callees are left out", n, d.Tree.Count, d.Tree.Least, left, mostNodes, depth)
	}
	for i, total := range d.Tree.Total {
		if total < d.Tree.Least {
			t.Fatalf("path %d has %d ns, want %d or more", i, total, d.Tree.Least)
		}
	}
	if len(page) > 5e6 {
		t.Errorf("%d bytes, want 5 MB at most", len(page))
	}
}
