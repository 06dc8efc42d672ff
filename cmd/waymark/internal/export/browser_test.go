package export

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

// browse opens a page in Chromium, and returns what the page posts to /result.
func browse(t *testing.T, mux *http.ServeMux, page string) []byte {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	result := make(chan []byte, 1)
	mux.HandleFunc("POST /result", func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		select {
		case result <- b:
		default: // a second one
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--enable-unsafe-swiftshader", "--no-first-run", "--disable-background-networking", "--disable-sync",
		"--window-size=1600,4000", "--user-data-dir="+t.TempDir(), server.URL+page)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.WaitDelay = time.Second // of processes that it leaves
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	select {
	case b := <-result:
		return b
	case <-time.After(3 * time.Minute):
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("the page has not answered\n%.2000s", log.Bytes())
	}
	return nil
}

// serveFile serves a text.
func serveFile(mux *http.ServeMux, path, kind string, data []byte) {
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Write(data)
	})
}

// Chrome's trace viewer reads what was written, and its slices add up to the report's numbers.
func TestChromeViewer(t *testing.T) {
	if !*others {
		t.Skip("starts a browser: use -readers")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	viewer := filepath.Join(strings.TrimSpace(string(goroot)), "src", "internal", "trace", "traceviewer", "static")
	if _, err := os.Stat(filepath.Join(viewer, "trace_viewer_full.html")); err != nil {
		t.Skip(err)
	}
	page, err := os.ReadFile(filepath.Join("testdata", "readers", "chrome.html"))
	if err != nil {
		t.Fatal(err)
	}
	for processes := 1; processes <= 2; processes++ {
		mux := http.NewServeMux()
		mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServer(http.Dir(viewer))))
		serveFile(mux, "/page", "text/html", page)
		serveFile(mux, "/out", "application/json", written(t, "chrome", recordAll(t, events(), processes), recording.Filter{}))
		var answer struct {
			Error     string
			Functions map[string]struct {
				Calls       int64
				Total, Self float64
			}
			Unfinished []string
		}
		if b := browse(t, mux, "/page"); json.Unmarshal(b, &answer) != nil || answer.Error != "" || len(answer.Unfinished) > 0 {
			t.Fatalf("the viewer says %.1000s", b)
		}
		got := make(map[string]sums)
		for name, f := range answer.Functions {
			got[seen(name)] = sums{f.Calls, int64(math.Round(f.Total)), int64(math.Round(f.Self))}
		}
		compare(t, "viewer", reported(t, recordAll(t, events(), processes), recording.Filter{}), got)
		t.Logf("%d processes: %d functions are the report's", processes, len(got))
	}
}

// Speedscope's own page reads the profile of a goroutine, and its table has the report's times.
func speedscopePage(t *testing.T, release string) {
	index, err := os.ReadFile(filepath.Join(release, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("testdata", "readers", "speedscope.js"))
	if err != nil {
		t.Fatal(err)
	}
	filter := recording.Filter{Goroutine: func(g recording.GoroutineID) bool { return g.ID == 1 }}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServer(http.Dir(release)))
	serveFile(mux, "/page", "text/html", bytes.Replace(index, []byte("</body>"), []byte(`<script src="/drive.js"></script></body>`), 1))
	serveFile(mux, "/drive.js", "text/javascript", script)
	serveFile(mux, "/out", "application/json", written(t, "speedscope", record(t, events()), filter))
	var answer struct {
		Error string
		Rows  [][]string
	}
	if b := browse(t, mux, "/page#profileURL=%2Fout"); json.Unmarshal(b, &answer) != nil || answer.Error != "" {
		t.Fatalf("speedscope says %.1000s", b)
	}
	want := reported(t, record(t, events()), filter)
	for _, row := range answer.Rows { // total, self, name
		total, self, name := inNS(t, row[0]), inNS(t, row[1]), seen(row[len(row)-1])
		w := want[name]
		delete(want, name)
		if off(total, w.total) || off(self, w.self) {
			t.Errorf("%q; want total %d ns, self %d ns", row, w.total, w.self)
		}
	}
	if len(want) > 0 {
		t.Errorf("no rows of %v in %q", want, answer.Rows)
	}
	t.Logf("%d functions are the report's", len(answer.Rows))
}

// off reports whether a time that is shown with two decimals is not one of a report.
func off(shown float64, want int64) bool {
	return math.Abs(shown-float64(want)) > 10+0.01*float64(want)
}

// inNS returns the time in a cell, as in 1.25µs (12%).
func inNS(t *testing.T, cell string) float64 {
	t.Helper()
	cell, _, _ = strings.Cut(strings.TrimSpace(cell), " ")
	number := strings.TrimRight(cell, "nµsm")
	n, err := strconv.ParseFloat(number, 64)
	unit, known := map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[cell[len(number):]]
	if err != nil || !known {
		t.Fatalf("%q: want a time", cell)
	}
	return n * unit
}
