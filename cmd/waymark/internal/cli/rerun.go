package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/testtrace"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A rerun runs failed tests again, each by itself and with everything recorded, if the recording of their
// failure lacks calls or values.
type rerun struct {
	app   *app
	goCmd func(pkg string, flags gocmd.Flags) *exec.Cmd // go test of a package, with more flags
	flags gocmd.Flags                                   // the user's
	rec   *recordFlags
	trace *traceFlags
	dir   string                 // of the recordings
	pause func() (resume func()) // of what a signal does while this command prints

	runs int              // so far
	kept []*testRecording // of these runs
}

// mostReruns is how many tests are run again: each is linked anew.
const mostReruns = 10

// longestHang is how long a test that did not end may have run to be run again: a longer one hangs.
const longestHang = time.Minute

// outputs are the flags of go test that name files to write.
var outputs = []string{"coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "outputdir", "o"}

// flagsFor returns flags that make go test run one test, and leave alone what the user's flags have it
// write. With -count, the test is run until it fails.
func (r *rerun) flagsFor(t *testtrace.Test, dir string) gocmd.Flags {
	flags := gocmd.Flags{"-run=" + t.Pattern(), "-failfast", "-parallel=1", "-json=false", "-bench=", "-list="}
	for _, name := range outputs {
		if _, ok := r.flags.Lookup(name); ok {
			flags = append(flags, "-"+name+"="+filepath.Join(dir, name))
		}
	}
	if r.flags.Bool("artifacts") {
		flags = append(flags, "-artifacts=false")
	}
	if r.flags.Bool("c") {
		flags = append(flags, "-c=false")
	}
	return flags
}

// run runs those of the failed tests again that lack something, and shows those that fail once more. It
// returns the tests whose first recording is still to be shown.
func (r *rerun) run(first *testtrace.Recording, shown []*testtrace.Test) (left []*testtrace.Test, masked bool, err error) {
	failed := slices.DeleteFunc(first.Failed(), func(t *testtrace.Test) bool {
		return t.Outcome == testtrace.Unended && first.Took(t) > longestHang
	})
	lacking, err := first.Lacking(failed)
	if err != nil {
		return shown, false, err
	}
	a := r.app
	for _, t := range testtrace.Leaves(lacking) {
		name := strings.TrimSpace(first.Package + " " + t.Name)
		if r.runs == mostReruns {
			a.note(fmt.Sprintf("%s tests have run again; %s and later ones lack calls, too: run them by themselves", units.Count(mostReruns), name))
			break
		}
		r.runs++
		a.note(fmt.Sprintf("%s lacks calls or values: it runs again by itself, with everything recorded (--rerun=false switches this off)", name))
		again, out, err := r.record(first.Package, t)
		if err != nil {
			return shown, masked, err
		}
		var runs []*testtrace.Run
		if again != nil {
			runs = testtrace.Open(again.File).Runs(t.Name)
		}
		switch {
		case len(runs) == 0:
			a.note(name + " could not run again by itself; what follows is of the run that failed. go test said:")
			a.stderr.Write(out)
		case !slices.ContainsFunc(runs, (*testtrace.Run).Failed):
			a.note(fmt.Sprintf("%s passed in %s by itself: it is flaky, or depends on other tests; what follows is of the run that failed", name, units.Things(uint64(len(runs)), "run")))
		default:
			a.note(name + " failed again; what follows is of this run")
			m, err := a.showTests(again, r.only(), nil)
			if masked = masked || m; err != nil {
				return shown, masked, err
			}
			shown = slices.DeleteFunc(slices.Clone(shown), func(s *testtrace.Test) bool { return t.Within(s) })
		}
		if again != nil {
			r.keep(again)
		}
	}
	return shown, masked, nil
}

// only returns the flags with which failed tests are shown, whatever else is.
func (r *rerun) only() *traceFlags {
	f := *r.trace
	f.on = "failed"
	return &f
}

// record runs a test by itself. It returns the recording, nil if there is none, and what go test printed.
func (r *rerun) record(pkg string, t *testtrace.Test) (again *testRecording, output []byte, err error) {
	dir := filepath.Join(r.dir, fmt.Sprintf("again%d", r.runs))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, nil, err
	}
	r.rec.set.Set("budget", noBudget)
	r.rec.set.Set("overflow", "block")
	if err := r.rec.check(); err != nil {
		return nil, nil, err
	}
	cmd := r.goCmd(pkg, r.flagsFor(t, dir))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = r.trace.environ(cmd, r.rec, dir)
	resume := r.pause()
	if signalled(func() { err = await(cmd) }) {
		r.runs = mostReruns
	}
	resume()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return nil, nil, err
	}
	files, errs := openRecordings(dir)
	for _, f := range files {
		if again == nil && f.Meta(format.MetaTests) == pkg {
			f.keep = strings.ReplaceAll(pkg, "/", "_") + rerunOf(r.runs)
			again = f
		} else {
			f.Close()
		}
	}
	return again, out.Bytes(), errors.Join(errs...)
}

// keep keeps a recording for --output, or removes it.
func (r *rerun) keep(f *testRecording) {
	f.Close()
	if r.trace.out == "" {
		os.RemoveAll(filepath.Dir(f.path))
		return
	}
	r.kept = append(r.kept, f)
}

// rerunOf returns the end of the name of the nth kept recording of a test that ran again.
func rerunOf(n int) string { return fmt.Sprintf(".rerun%d.wmt", n) }

// withReruns adds to the recordings of test binaries those of tests that ran again, which --output keeps
// beside them.
func withReruns(files []string) []string {
	all := slices.Clone(files)
	for _, f := range files {
		for n := range mostReruns {
			again := strings.TrimSuffix(f, ".wmt") + rerunOf(n+1)
			if _, err := os.Stat(again); err == nil && !slices.Contains(all, again) {
				all = append(all, again)
			}
		}
	}
	return all
}

// signalled calls f, and reports whether a signal came meanwhile that ends this command.
func signalled(f func()) bool {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, ending...)
	defer signal.Stop(signals)
	f()
	return len(signals) > 0
}
