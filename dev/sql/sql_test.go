package sql

import (
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
)

var command = flag.String("waymark", "../../bin/waymark", "the command")

// queries returns the queries of a document by the heading that they are below.
func queries(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]string)
	heading, query, inside := "", "", false
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "```sql":
			query, inside = "", true
		case line == "```" && inside:
			list[heading], inside = query, false
		case inside:
			query += line + "\n"
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimLeft(line, "# ")
		}
	}
	return list
}

// rows returns the rows of an answer, each as its columns but the last n, and those: numbers.
func rows(t *testing.T, db *sql.DB, query string, n int) map[string][]int64 {
	t.Helper()
	answer, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s\n%v", query, err)
	}
	defer answer.Close()
	columns, err := answer.Columns()
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string][]int64)
	for answer.Next() {
		values := make([]any, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := answer.Scan(to...); err != nil {
			t.Fatal(err)
		}
		var numbers []int64
		for _, v := range values[len(values)-n:] {
			var number int64
			if _, err := fmt.Sscan(fmt.Sprint(v), &number); err != nil {
				t.Fatalf("%s\n%v: %v", query, v, err)
			}
			numbers = append(numbers, number)
		}
		list[fmt.Sprint(values[:len(values)-n]...)] = numbers
	}
	if err := answer.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// rounding is how many ns an answer may differ: each call is rounded.
const rounding = 1000

// equal compares answers with waymark's. Numbers from times on are ns.
func equal(t *testing.T, what string, times int, got, want map[string][]int64) {
	t.Helper()
	if len(want) == 0 {
		t.Errorf("%s: waymark has no rows", what)
	}
	for key, numbers := range want {
		answer, ok := got[key]
		if !ok {
			t.Errorf("%s: no row %s", what, key)
			continue
		}
		for i, n := range numbers {
			off := max(answer[i]-n, n-answer[i])
			if i < times && off > 0 || off > rounding {
				t.Errorf("%s: %s: number %d is %d; waymark has %d", what, key, i+1, answer[i], n)
			}
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: a row too many: %s", what, key)
		}
	}
}

func TestQueries(t *testing.T) {
	waymark, err := filepath.Abs(*command)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command(waymark, args...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("waymark %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	if err := os.Mkdir(filepath.Join(dir, "calls"), 0o777); err != nil {
		t.Fatal(err)
	}
	both := []string{filepath.Join(dir, "a.wmt"), filepath.Join(dir, "b.wmt")}
	for i, file := range both {
		run(append([]string{"record", "--waiting", "-o", file, "./app"}, []string{"slow"}[:i]...)...)
		run("export", file, "--to", "parquet", "-o", filepath.Join(dir, "calls", fmt.Sprint(i)+".parquet"))
	}
	run("export", both[0], "--to", "parquet", "-o", filepath.Join(dir, "app.parquet"))
	scale, exports := queries(t, "../../docs/scale.md"), queries(t, "../../docs/exports.md")
	t.Chdir(dir)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(scale["Calls"]); err != nil {
		t.Fatal(err)
	}

	report, waits := reported(t, run(append([]string{"report", "--format", "json"}, both...)...))
	equal(t, "report", 1, rows(t, db, scale["The report"], 3), report)
	equal(t, "waiting", 0, rows(t, db, scale["Waiting by reason"], 1), waits)
	one, _ := reported(t, run("report", "--format", "json", both[0]))
	equal(t, "report of exports.md", 1, rows(t, db, exports["parquet"], 3), one)
	equal(t, "tree", 1, rows(t, db, scale["The call tree"], 3), tree(t, run(append([]string{"tree", "--format", "rows"}, both...)...)))
	equal(t, "traces", 2, slowest(t, db, scale["The slowest traces"]), traces(t, run(append([]string{"traces", "--top", "10", "--format", "json"}, both...)...)))
	if n := len(scale) + len(exports); n != 6 {
		t.Errorf("the documents have %d queries, of which 6 were run", n)
	}
}

type numbers struct {
	Name        string           `json:"name"`
	Calls       int64            `json:"calls"`
	Total       int64            `json:"total_ns"`
	Self        int64            `json:"self_ns"`
	SelfWaiting map[string]int64 `json:"self_waiting"`
}

func decode(t *testing.T, data []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatal(err)
	}
}

// reported returns what waymark report says: calls, total and self by function, and what functions
// waited, by function and reason.
func reported(t *testing.T, data []byte) (list, waits map[string][]int64) {
	t.Helper()
	var r struct {
		Functions []numbers `json:"functions"`
	}
	decode(t, data, &r)
	list, waits = make(map[string][]int64), make(map[string][]int64)
	for _, f := range r.Functions {
		list[fmt.Sprint(f.Name)] = []int64{f.Calls, f.Total, f.Self}
		for reason, ns := range f.SelfWaiting {
			if ns != 0 {
				waits[fmt.Sprint(f.Name, reason)] = []int64{ns}
			}
		}
	}
	return list, waits
}

func tree(t *testing.T, data []byte) map[string][]int64 {
	t.Helper()
	var r struct {
		Nodes []struct {
			numbers
			ID, Parent int
		} `json:"nodes"`
	}
	decode(t, data, &r)
	list := make(map[string][]int64)
	paths := make(map[int][]any)
	for _, n := range r.Nodes {
		above := paths[n.Parent]
		paths[n.ID] = append(above[:len(above):len(above)], n.Name)
		list[fmt.Sprint(paths[n.ID])] = []int64{n.Calls, n.Total, n.Self}
	}
	return list
}

// slowest returns the numbers of traces by root and start, which DuckDB reads to the microsecond.
func slowest(t *testing.T, db *sql.DB, query string) map[string][]int64 {
	t.Helper()
	return rows(t, db, "SELECT root, epoch_us(start), calls, goroutines, duration_ns FROM ("+query+")", 3)
}

func traces(t *testing.T, data []byte) map[string][]int64 {
	t.Helper()
	var r []struct {
		Root       string `json:"root"`
		Start      int64  `json:"start_unix_ns"`
		Calls      int64  `json:"calls"`
		Goroutines int64  `json:"goroutines"`
		Duration   int64  `json:"duration_ns"`
	}
	decode(t, data, &r)
	list := make(map[string][]int64)
	for _, n := range r {
		list[fmt.Sprint(n.Root, n.Start/1000)] = []int64{n.Calls, n.Goroutines, n.Duration}
	}
	return list
}
