package endtoend

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSeenCounts compares the functions that a seen file says were called with those that the go command's
// own coverage says were.
func TestSeenCounts(t *testing.T) {
	eachSubject(t, *counts, "test-counts", func(t *testing.T, waymark, dir string, s subject) {
		folder := t.TempDir()
		bin, file := filepath.Join(folder, "app"), filepath.Join(folder, "app.seen")
		command(t, dir, nil, waymark, "build", "--all", "--closures", "--include", "./...", "-o", bin, s.main)
		command(t, dir, []string{"WAYMARK=seen=" + file}, bin, s.args(t, dir)...)
		compareSeen(t, dir, waymark, file, s)

		// The profile is one that the go command's tool reads, with these functions.
		profile := filepath.Join(folder, "profile")
		command(t, dir, nil, waymark, "seen", "--cover", profile, file)
		cmd := exec.Command("go", "tool", "cover", "-func", profile)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "total:") {
			t.Errorf("go tool cover -func: %v\n%s", err, out)
		}
	})
}

// compareSeen compares a seen file with coverage counters. A function may be called in one run and not in
// another one: what coverage itself says differently is left out.
func compareSeen(t *testing.T, dir, waymark, file string, s subject) {
	t.Helper()
	covered, again := coverage(t, dir, s), coverage(t, dir, s)
	leftOut := leftOut(t, dir, waymark, s)
	var seen struct {
		Functions []struct {
			Name, File string
			Line       int
			Called     bool
		}
	}
	if err := json.Unmarshal(command(t, dir, nil, waymark, "seen", "--format", "json", file), &seen); err != nil {
		t.Fatal(err)
	}
	called, names := make(map[place]bool), make(map[place]string)
	for _, f := range seen.Functions {
		rel, err := filepath.Rel(dir, f.File)
		if err != nil {
			t.Fatal(err)
		}
		p := place{filepath.ToSlash(rel), f.Line}
		called[p] = called[p] || f.Called // functions of one line
		names[p] = f.Name
	}
	same, ran, unsteady := 0, 0, 0
	for p, n := range covered {
		switch {
		case leftOut[p] != "":
		case (n > 0) != (again[p] > 0):
			unsteady++
		case names[p] == "":
			// Packages that aren't linked have no table: then nothing of them was called.
			if n > 0 {
				t.Errorf("%v: coverage counts %d calls, the file doesn't have the function", p, n)
			}
		case called[p] != (n > 0):
			t.Errorf("%v %s: coverage counts %d calls, the file says called: %v", p, names[p], n, called[p])
		default:
			same++
			if n > 0 {
				ran++
			}
		}
	}
	for p, yes := range called {
		if _, ok := covered[p]; yes && !ok {
			t.Errorf("%v %s: called, and coverage knows no function there", p, names[p])
		}
	}
	t.Logf("%s: %d functions agree, of these %d were called; %d differ from one coverage run to the next", s.module, same, ran, unsteady)
	if ran == 0 {
		t.Error("nothing was compared")
	}
}
