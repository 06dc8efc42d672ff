package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/testtrace"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// traceTests runs go test with its test binaries recording, calls ended, and then prints the calls
// that --trace asks for. It prints to stderr, because other programs may read go test's stdout. again is
// nil if no test is to run again.
func (a *app) traceTests(cmd *exec.Cmd, rec *recordFlags, f *traceFlags, again *rerun, ended func()) error {
	if rec.ring() {
		rec.set.Set("dump-at-exit", "true") // what is printed is of the window
	}
	dir, err := recordingsDir(f.out)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd.Env = f.environ(cmd, rec, dir)

	var runErr error
	if signalled(func() { runErr = await(cmd) }) || !f.reruns(rec) {
		again = nil
	}
	ended()
	release := guard(dir)
	defer func() { release() }()
	if again != nil {
		again.dir = dir
		again.pause = func() func() {
			release()
			return func() { release = guard(dir) }
		}
	}
	if runErr != nil && !errors.As(runErr, new(*exec.ExitError)) {
		return runErr
	}
	files, errs := openRecordings(dir)
	anyMasked := false
	for _, file := range files {
		masked, err := a.showTests(file, f, again)
		errs = append(errs, err)
		anyMasked = anyMasked || masked
		file.Close()
	}
	if anyMasked {
		fmt.Fprintf(a.stderr, "\n%s\n", maskedNote)
	}
	if f.out != "" {
		if again != nil {
			files = append(files, again.kept...)
		}
		errs = append(errs, a.keepRecordings(files, f.out))
	}
	if err := errors.Join(errs...); err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			a.note(line)
		}
		if runErr == nil {
			runErr = exitError(exitFailed)
		}
	}
	os.RemoveAll(dir) // the status may be a signal
	return testStatus(runErr)
}

// environ returns the environment in which the test binaries that a command runs record into a folder.
func (f *traceFlags) environ(cmd *exec.Cmd, rec *recordFlags, dir string) []string {
	// Test binaries run side by side, and may run each other.
	return append(withoutWaymark(cmd.Environ()), "WAYMARK="+rec.envFiles(literal(dir)+string(filepath.Separator)+"%n.%p.wmt")+f.env(rec))
}

// withoutWaymark returns an environment without the variable WAYMARK.
func withoutWaymark(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "WAYMARK=") })
}

// recordingsDir makes a folder for test binaries to record to. If recordings are kept, the folder
// is inside the folder for kept ones, so that recordings need not be copied.
func recordingsDir(out string) (string, error) {
	if out == "" {
		return tempDir("waymark-")
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(out, 0o700); err != nil {
		return "", fmt.Errorf("--output: %w; name a folder, or a path where one can be made", err)
	}
	dir, err := os.MkdirTemp(out, ".waymark-")
	if err != nil {
		return "", fmt.Errorf("--output: can't write to the folder: %w; choose another", err)
	}
	return dir, nil
}

// A testRecording is the recording of a test binary, or of a program that tests ran.
type testRecording struct {
	*tracefile.File
	path string
	keep string // its name where it is kept
}

// openRecordings opens the trace files in dir, in the order of the packages.
func openRecordings(dir string) (files []*testRecording, errs []error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.wmt"))
	if err != nil {
		return nil, []error{err}
	}
	for _, path := range paths {
		f, err := tracefile.Open(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		files = append(files, &testRecording{File: f, path: path, keep: filepath.Base(path)})
	}
	slices.SortFunc(files, func(a, b *testRecording) int {
		return cmp.Or(
			cmp.Compare(a.Meta(format.MetaTests), b.Meta(format.MetaTests)),
			cmp.Compare(filepath.Base(a.Info().Program), filepath.Base(b.Info().Program)),
			a.Info().Start.Compare(b.Info().Start))
	})
	used := make(map[string]bool)
	for _, f := range files {
		// The same name each time, so that one knows where to look.
		if pkg := f.Meta(format.MetaTests); pkg != "" && !f.Info().Live {
			name := strings.ReplaceAll(pkg, "/", "_") + ".wmt"
			if !used[name] {
				used[name] = true
				f.keep = name
			}
		}
	}
	return files, errs
}

// showTests prints the calls of the tests that were asked for, and reports whether values among
// them are masked. Tests that lack something are run again, unless again is nil.
func (a *app) showTests(file *testRecording, f *traceFlags, again *rerun) (masked bool, err error) {
	if f.on == "" || file.Meta(format.MetaTests) == "" {
		return false, nil
	}
	r := testtrace.Open(file.File)
	shown := r.Tests
	if f.on == "failed" {
		shown = r.Failed()
	}
	if len(shown) == 0 {
		return false, nil // the file may be large: it isn't read for nothing
	}
	if err := r.Read(); err != nil {
		return false, err
	}
	if again != nil {
		if shown, masked, err = again.run(r, shown); err != nil {
			return masked, err
		}
	}
	o := testtrace.Options{Lines: f.lines, Depth: f.depth, Calls: f.text.calls(a.stderr, f.width, file.File), More: "--lines 0, or keep the recording with --output DIR", All: "--budget none -run %s"}
	if f.out != "" {
		o.More = "waymark replay --test %s " + filepath.Join(f.out, file.keep)
	}
	if err := r.Print(a.stderr, shown, o); err != nil {
		return masked || r.Masked(), err
	}
	info := file.Info()
	if info.Lost > 0 {
		fmt.Fprintf(a.stderr, "\n%s of %s lost: calls are missing\n", units.Things(info.Lost, "event"), file.Meta(format.MetaTests))
	}
	if why := recording.Stopped(info); why != "" {
		fmt.Fprintf(a.stderr, "\n%s: %s\n", file.Meta(format.MetaTests), why)
	}
	if info.Damaged > 0 {
		return masked || r.Masked(), fmt.Errorf("%s: %w: %s could not be read", file.path, tracefile.ErrDamaged, units.Bytes(info.Damaged))
	}
	return masked || r.Masked(), nil
}

// keepRecordings moves recordings to the folder out and says their names.
func (a *app) keepRecordings(files []*testRecording, out string) error {
	var errs []error
	for _, f := range files { // of an earlier time
		for _, old := range withReruns([]string{filepath.Join(out, f.keep)})[1:] {
			errs = append(errs, os.Remove(old))
		}
	}
	for _, f := range files {
		path := filepath.Join(out, f.keep)
		if err := os.Rename(f.path, path); err != nil {
			errs = append(errs, err)
			continue
		}
		if f.Info().Live {
			// Its buffers go with it, to be found by whoever reads it later.
			errs = append(errs, os.Rename(f.path+".live", path+".live"))
		}
		what := f.Meta(format.MetaTests)
		if what == "" {
			what = "run by a test"
		}
		a.note(fmt.Sprintf("%s: %s, %s", path, what, units.Things(f.Info().Events, "event")))
	}
	return errors.Join(errs...)
}
