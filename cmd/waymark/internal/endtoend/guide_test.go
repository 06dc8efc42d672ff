package endtoend

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// TestGuide runs the commands of the README, of docs/guide.md and docs/live.md, and compares what
// they print with the documents. It leaves out numbers, times and the lines that "..." stands for.
// A block of commands follows a comment that names the folder of the program, in testdata/guide or
// in the repository. The folder is copied, and its blocks share the copy.
func TestGuide(t *testing.T) {
	text := repository.Read(t, "README.md") + repository.Read(t, "docs/guide.md")
	if runtime.GOOS == "linux" { // elsewhere programs don't listen
		text += repository.Read(t, "docs/live.md")
	}
	blocks := regexp.MustCompile("(?s)<!-- run in: (\\S+) -->\n+```console\n(.*?)```").FindAllStringSubmatch(text, -1)
	if all := strings.Count(text, "```console"); len(blocks) != all || all < 5 {
		t.Fatalf("%d of %d blocks of commands name their folder; want all, and five at least", len(blocks), all)
	}
	path := filepath.Dir(tool(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	dirs, sockets := make(map[string]string), t.TempDir()
	for _, b := range blocks {
		folder := b[1]
		if dirs[folder] == "" {
			dirs[folder] = t.TempDir()
			from := filepath.Join("testdata/guide", folder)
			if strings.Contains(folder, "/") {
				from = repository.Path(t, folder)
			}
			if err := os.CopyFS(dirs[folder], os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range strings.Split("\n"+b[2], "\n$ ")[1:] {
			command, want, _ := strings.Cut(c, "\n")
			t.Run(folder+"/"+command, func(t *testing.T) {
				var out []byte
				missing := ""
				// Which functions take most depends on what else the machine does: more of them are printed, in any order.
				more := top.ReplaceAllString(command, "--top 10")
				for range 3 {
					cmd := exec.Command("sh", "-c", more)
					cmd.Dir = dirs[folder]
					cmd.Env = append(os.Environ(), "PATH="+path, "GOWORK=off", "GOFLAGS=", "NO_COLOR=1", "WAYMARK=", "XDG_RUNTIME_DIR="+sockets)
					out, _ = cmd.CombinedOutput() // a program of the guide may fail: it says so
					out = bytes.ReplaceAll(out, []byte(dirs[folder]), []byte("/srv"))
					if more != command {
						missing = anyMissing(string(out), want)
					} else {
						missing = firstMissing(string(out), want)
					}
					if missing == "" {
						return
					}
				}
				t.Errorf("%s\nprints no %q, or not there:\n%s", command, missing, out)
			})
		}
	}
}

// Calls may be open, or not. Times are estimates, or missing, where the budget did not let all calls be timed. That
// depends on the machine.
var changing = regexp.MustCompile(` \([0-9]+ open\)|[-≈]?[0-9][0-9.,]*( (ns|us|ms|s)\b)?`)

// settled returns a line without the parts that differ from run to run. A cell without a number is as one with a number.
func settled(line string) string {
	line = changing.ReplaceAllStringFunc(line, func(part string) string {
		if strings.HasSuffix(part, "open)") {
			return ""
		}
		return "#"
	})
	words := strings.Fields(line)
	for i, word := range words {
		if word == "-" {
			words[i] = "#"
		} else if strings.Trim(word, "-") == "" {
			words[i] = "" // a rule is as long as what is below it is wide
		}
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

var top = regexp.MustCompile(`--top [0-9]+`)

// anyMissing returns the first of the wanted lines that isn't in the output.
func anyMissing(output, want string) string {
	got := make(map[string]bool)
	for _, line := range strings.Split(output, "\n") {
		got[settled(line)] = true
	}
	for _, line := range strings.Split(want, "\n") {
		if wanted := settled(line); wanted != "" && wanted != "..." && !got[wanted] {
			return line
		}
	}
	return ""
}

// firstMissing returns the first of the wanted lines that doesn't follow the wanted lines before it in
// the output. Other lines may stand in between only where "..." stands, and before the first one: what
// a program prints comes before or after what waymark prints.
func firstMissing(output, want string) string {
	var got []string
	for _, line := range strings.Split(output, "\n") {
		if line = settled(line); line != "" {
			got = append(got, line)
		}
	}
	return follow(got, strings.Split(want, "\n"), true)
}

// follow returns the first of the wanted lines that doesn't follow those before it. If lines may be skipped, got may have the
// first one several times, as the call of a function: it is the one that the next lines follow.
func follow(got, want []string, skip bool) string {
	for ; len(want) > 0; want = want[1:] {
		wanted, missing := settled(want[0]), want[0]
		switch {
		case wanted == "":
			continue
		case strings.TrimSpace(want[0]) == "...":
			skip = true
			continue
		case len(got) > 0 && got[0] == wanted && !skip:
			got = got[1:]
			continue
		case !skip:
			return missing
		}
		found := false
		for i, line := range got {
			if line != wanted {
				continue
			}
			next := follow(got[i+1:], want[1:], false)
			if next == "" {
				return ""
			}
			if !found {
				found, missing = true, next
			}
		}
		return missing
	}
	return ""
}

func TestFirstMissing(t *testing.T) {
	const output = "12 calls\n\n  1.5 ms  main.f\n  3 s  main.g\nend\n  4 s  main.g\nlast\n"
	for _, c := range []struct{ want, missing string }{
		{"99 calls\n 7 ms main.f\n", ""},
		{"9 ns main.f\n...\nend\n", ""},
		{"9 ns main.f\nend\n", "end"},
		{"3 s main.g\n1 s main.f", "1 s main.f"},
		{"≈1.2 ms  main.f\n", ""},
		{"-  main.f\n", ""},
		{"-  -  main.f\n", "-  -  main.f"},
		{"main.h", "main.h"},
		{"9 calls\nend", "end"},
		{"3 s  main.g\nlast", ""}, // the second one
		{"3 s  main.g (2 open)", ""},
	} {
		if got := firstMissing(output, c.want); got != c.missing {
			t.Errorf("%q: missing %q, want %q", c.want, got, c.missing)
		}
	}
}
