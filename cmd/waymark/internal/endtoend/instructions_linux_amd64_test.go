package endtoend

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolchain"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

// instructions are those that a call executes more than in the plain program. Unlike times they are the same on each machine,
// with the release of Go that the file names. To write it anew: go test -run TestInstructions -update.
const instructions = "testdata/instructions/want.txt"

// TestInstructions counts the instructions that waymark adds to calls: one more is a failure, so that none comes unnoticed.
func TestInstructions(t *testing.T) {
	if release := toolchain.Tested[0]; runtime.Version() != release {
		t.Skipf("counts are of %s, this is %s", release, runtime.Version())
	}
	waymark, dir := tool(t), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/instructions")); err != nil {
		t.Fatal(err)
	}
	command(t, dir, nil, "go", "build", "-o", "plain", ".")
	command(t, dir, nil, waymark, "build", "--all", "-o", "calls", ".")
	command(t, dir, nil, waymark, "build", "--all", "--args", "--results", "-o", "values", ".")
	var got strings.Builder
	fmt.Fprintf(&got, "%s: instructions of a call beyond those of the plain program\n", runtime.Version())
	for _, function := range []string{"Leaf", "Text", "Struct"} {
		plain := countInstructions(t, dir, "plain", function, "")
		for _, state := range []struct{ name, program, settings string }{
			{"off", "calls", ""},
			{"counted", "calls", "stats,count"},
			{"timed", "calls", "stats"},
			{"recorded", "calls", "record,o=" + filepath.Join(dir, "calls.wmt")},
			{"recorded with values", "values", "record,o=" + filepath.Join(dir, "calls.wmt")},
		} {
			n := countInstructions(t, dir, state.program, function, state.settings)
			fmt.Fprintf(&got, "%-8s %-22s %4d\n", function, state.name, n-plain)
		}
		for _, state := range []struct {
			name   string
			record trampoline.Record
			values bool
		}{{"patched, counted", trampoline.Record{Count: true}, false}, {"patched", trampoline.Record{}, false}, {"patched, with values", trampoline.Record{}, true}} {
			n := countPatched(t, dir, function, state.record, state.values)
			fmt.Fprintf(&got, "%-8s %-22s %4d\n", function, state.name, n-plain)
		}
	}
	if *update {
		if err := os.WriteFile(instructions, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(instructions)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%s%s has:\n%s", got.String(), instructions, want)
	}
}

// countInstructions returns how many instructions a program executes between two marks. It is the least of many counts: others
// have to do with chunks that are full, and with the scheduler.
func countInstructions(t *testing.T, dir, program, function, settings string) int {
	t.Helper()
	runtime.LockOSThread() // only the thread that has started a traced process may control it
	defer runtime.UnlockOSThread()
	cmd := exec.Command(filepath.Join(dir, program), function)
	cmd.Env = append(os.Environ(), "WAYMARK="+settings)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("ptrace: %v", err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	s := &stepper{pid: cmd.Process.Pid, mark: symbol(t, cmd.Path, "main.mark")}
	least, err := s.least(500, 30)
	if err != nil {
		t.Fatalf("%s %s, WAYMARK=%s: %v", program, function, settings, err)
	}
	return least
}

// countPatched is countInstructions of the plain program while a function of it is patched.
func countPatched(t *testing.T, dir, function string, r trampoline.Record, values bool) int {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(filepath.Join(dir, "plain"), function)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	target, err := patch.Attach(cmd.Process.Pid, false)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	defer cmd.Process.Kill() // first: patches can't be undone in a process that is stopped
	f := target.Image.Named("main." + function)
	if values {
		v, err := target.Values(nil, capture.Limits{Bytes: 256, Depth: 2})
		if err != nil {
			t.Fatal(err)
		}
		r = v.Record(f, r)
	}
	if report, err := target.Want([]patch.Wanted{{Func: f, Record: r}}); err != nil || len(report.Refused) > 0 {
		t.Fatal(err, report)
	}
	if err := syscall.PtraceAttach(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	s := &stepper{pid: cmd.Process.Pid, mark: symbol(t, cmd.Path, "main.mark")}
	least, err := s.least(500, 30)
	if err != nil {
		t.Fatalf("%s, patched: %v", function, err)
	}
	if drops := target.Drops(); len(drops) > 0 {
		t.Errorf("%s, patched: there was no room for %v", function, drops)
	}
	return least
}

func symbol(t *testing.T, path, name string) uint64 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name || s.Name == name+".abi0" {
			return s.Value
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return 0
}

// A stepper executes the instructions of a process's first thread.
type stepper struct {
	pid  int
	mark uint64 // where a function begins that only returns
}

// least skips marks, and returns the least number of instructions between two of those that follow.
func (s *stepper) least(skip, n int) (int, error) {
	if _, err := s.stopped(); err != nil { // it has just been loaded
		return 0, err
	}
	if _, err := syscall.PtracePokeText(s.pid, uintptr(s.mark), []byte{0xCC}); err != nil { // INT3
		return 0, err
	}
	for range skip {
		if err := s.run(syscall.PtraceCont); err != nil {
			return 0, err
		}
		if err := s.leave(); err != nil {
			return 0, err
		}
	}
	least := 0
	for range n {
		steps := 0
		for {
			if err := syscall.PtraceSingleStep(s.pid); err != nil {
				return 0, err
			}
			signal, err := s.stopped()
			if err != nil {
				return 0, err
			}
			if signal != syscall.SIGTRAP { // the scheduler's: it isn't delivered
				continue
			}
			steps++
			var regs syscall.PtraceRegs
			if err := syscall.PtraceGetRegs(s.pid, &regs); err != nil {
				return 0, err
			}
			if regs.Rip == s.mark {
				break
			}
		}
		if least == 0 || steps < least {
			least = steps
		}
		if err := s.leave(); err != nil {
			return 0, err
		}
	}
	return least, nil
}

// run lets the thread go on until its next trap.
func (s *stepper) run(resume func(pid, signal int) error) error {
	for signal := syscall.Signal(0); ; {
		if err := resume(s.pid, int(signal)); err != nil {
			return err
		}
		var err error
		if signal, err = s.stopped(); err != nil {
			return err
		}
		if signal == syscall.SIGTRAP {
			return nil
		}
	}
}

// stopped waits until the thread stops, and returns the signal that has stopped it.
func (s *stepper) stopped() (syscall.Signal, error) {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(s.pid, &status, syscall.WALL, nil); err != nil {
		return 0, err
	}
	if !status.Stopped() {
		return 0, errors.New("the program has ended")
	}
	return status.StopSignal(), nil
}

// leave returns from the mark, as its only instruction does.
func (s *stepper) leave() error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(s.pid, &regs); err != nil {
		return err
	}
	word := make([]byte, 8)
	if _, err := syscall.PtracePeekData(s.pid, uintptr(regs.Rsp), word); err != nil {
		return err
	}
	regs.Rip = 0
	for i := 7; i >= 0; i-- {
		regs.Rip = regs.Rip<<8 | uint64(word[i])
	}
	regs.Rsp += 8
	return syscall.PtraceSetRegs(s.pid, &regs)
}
