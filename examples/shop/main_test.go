package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// tempDir has the program make its directory in one that must be empty at the
// end of the test.
func tempDir(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left in the temporary directory: %v, %v", left, err)
		}
	})
}

var timings = regexp.MustCompile(`[0-9.]+(s|ms|/s)\b`)

func TestRun(t *testing.T) {
	tempDir(t)
	output := func(o options) string {
		var out, log strings.Builder
		if err := run(t.Context(), o, &out, &log); err != nil {
			t.Fatal(err)
		}
		if log.Len() > 0 {
			t.Errorf("log: %s", log.String())
		}
		return timings.ReplaceAllString(out.String(), "?")
	}

	o := options{requests: 600, clients: 3, seed: 1}
	first := output(o)
	for _, want := range []string{
		"600 requests from 3 clients",
		"200 OK", "201 Created", "402 Payment Required", "404 Not Found",
		"422 Unprocessable Entity", "500 Internal Server Error",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in the output:\n%s", want, first)
		}
	}
	_, placed, _ := strings.Cut(first, "orders   ")
	_, recovered, _ := strings.Cut(first, "reopened ")
	if placed, _, _ = strings.Cut(placed, "\n"); placed != strings.TrimSpace(recovered) {
		t.Errorf("%q before closing, %q after reopening", placed, recovered)
	}

	if again := output(o); again != first {
		t.Errorf("another run differs:\n%s\n%s", first, again)
	}
	o.seed = 2
	if other := output(o); other == first {
		t.Error("another seed made no difference")
	}
}

func TestServe(t *testing.T) {
	tempDir(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, options{clients: 1, serve: true}, w, io.Discard)
		w.CloseWithError(err)
		done <- err
	}()

	out := bufio.NewReader(r)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := regexp.MustCompile(`http://\S+`).FindString(line)
	resp, err := http.Get(url + "/search?q=kettle")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "**kettle**") {
		t.Errorf("search: %s %s, %v", resp.Status, body, err)
	}

	interrupt()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Errorf("output: %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	tempDir(t)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if err := run(ctx, options{requests: 100, clients: 2}, io.Discard, io.Discard); err == nil {
		t.Error("no error though the requests were not made")
	}
}
