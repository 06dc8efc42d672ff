package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// hostile is a text that a terminal obeys, with a row of its own.
const hostile = "a\x1b]0;owned\x07\n      999  forged\r\u202e\u009b31m\x7f"

// harmful returns what is before a place in a text that a terminal obeys, or a forged row; "" if there
// is none.
func harmful(text string) string {
	for i, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return "…" + text[max(0, i-60):i]
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "999  forged") {
			return line
		}
	}
	return ""
}

// Names in recordings were chosen by whoever made them.
func TestHostileNames(t *testing.T) {
	events, err := calltreetest.Events("A10 B20 !20 ^10 a10 @2 <1 A10 a10 .")
	if err != nil {
		t.Fatal(err)
	}
	pkg := "example.com/" + hostile
	r := &calltreetest.Recording{
		Tables: []calltreetest.Table{{Package: pkg, Sites: []format.Site{
			{Name: pkg + ".f" + hostile, File: "/src/" + hostile, Line: 1, Args: []string{hostile}, Tiny: []string{hostile}},
			{Name: pkg + ".g" + hostile, File: "/src/" + hostile, Line: 9}}}},
		Origins: []tracefile.Origin{{ID: 1, Func: hostile, File: hostile, Line: 3}},
		Groups:  []format.Group{{Name: hostile, Vars: []string{hostile}}},
		Tests: []tracefile.TestEvent{{Clock: 1, Goroutine: 1, Name: "Test" + hostile, State: tracefile.TestBegins},
			{Clock: 2, Goroutine: 1, Name: "Test" + hostile, Text: "said\x1b]0;x\x07"}},
		Program: "/bin/" + hostile, Events: events, End: 100,
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "r.wmt")
	xml := filepath.Join(dir, "r.xml")
	const actions = `<?xml version="1.0"?>
<trace-file unit="ns" start="1795625427940067746"><trace key="1-1" goroutine="1">1795625427940067746,START,a&#10;      999  forged&#x202e;b|1795625427940067846,END,a&#10;      999  forged&#x202e;b</trace></trace-file>`
	bad := filepath.Join(dir, "bad\x1b[31m.wmt")
	for name, text := range map[string]string{file: string(r.Bytes()), xml: actions, bad: "no recording"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{
		"report", "report --by package", "report --by group", "report --by goroutine", "report --format csv", "report --format json", "report --names full",
		"tree", "tree --format csv", "tree --names full", "tree --callers /f/", "replay", "replay --names full", "traces", "traces --format csv", "traces --format json",
		"info", "info --format json", "diff OTHER", "diff --format markdown OTHER", "info --blocks",
		"export --to folded -o -", "export --to json -o -", "export --to chrome -o -", "export --to speedscope -o -", "export --to otlp -o -", "export --to xml -o -",
	} {
		for _, name := range []string{file, xml, bad} {
			args := strings.Fields(command)
			for i := range args {
				if args[i] == "OTHER" {
					args[i] = name
				}
			}
			stdout, stderr, _ := run(append(args, name)...)
			if at := harmful(stdout); at != "" {
				t.Errorf("%s %q prints what a terminal obeys, behind %q", command, filepath.Base(name), at)
			}
			if at := harmful(stderr); at != "" {
				t.Errorf("%s %q says what a terminal obeys, behind %q", command, filepath.Base(name), at)
			}
			if name == file && command == "report" && !strings.Contains(stdout, `\x1b]0;owned\a\n      999  forged\r\u202e`) {
				t.Errorf("report lacks the name, escaped:\n%s", stdout)
			}
		}
	}
}
