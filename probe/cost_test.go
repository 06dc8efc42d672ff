//go:build linux && (amd64 || arm64)

package probe

import (
	"debug/elf"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var costFlag = flag.Bool("cost", false, "measure what probes cost, beside a uprobe; nothing else may run")

func init() { programs["cost"] = costProgram }

type costing struct {
	Provider
	Fired P1[int]
	Text  P2[int, string]
	sync  P0
}

var costs costing

// What is measured takes about 2 ns without the probe.
//
//go:noinline
func costPlain(n int) int { return n*n ^ n>>3 }

//go:noinline
func costFired(n int) int {
	costs.Fired.Fire(n)
	return n*n ^ n>>3
}

//go:noinline
func costText(n int) int {
	costs.Text.Fire(n, "a string of 24 characters")
	return n*n ^ n>>3
}

// perCall returns how long a call takes, in ns: the median of some rounds of about 50 ms.
func perCall(f func(int) int) float64 {
	round := func(n int) time.Duration {
		begin := time.Now()
		for i := 0; i < n; i++ {
			costSum += f(i)
		}
		return time.Since(begin)
	}
	n := 1000
	for round(n) < 50*time.Millisecond {
		n *= 2
	}
	var list []float64
	for i := 0; i < 11; i++ {
		list = append(list, float64(round(n))/float64(n))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

var costSum int

func costProgram() {
	must(Register(&costs))
	fmt.Println("ready")
	fmt.Printf("%#x\n", reflect.ValueOf(costFired).Pointer())
	show := func() { // plain and off in turns
		fmt.Printf("%.3f %.3f %.3f %.3f\n", perCall(costPlain), perCall(costFired), perCall(costText), perCall(costPlain))
	}
	for {
		var command string
		if _, err := fmt.Scanln(&command); err != nil {
			return
		}
		switch {
		case command == "measure":
			show()
		case costs.sync.Enabled():
			time.Sleep(200 * time.Millisecond) // the others follow
			costs.sync.Fire()
		}
	}
}

// TestTracerCost measures what a function of 2 ns takes with a probe, off and with bpftrace
// counting. It also measures it with a uprobe of the same function in place of the probe. make
// bench-usdt runs it.
func TestTracerCost(t *testing.T) {
	if !*costFlag {
		t.Skip("make bench-usdt measures what probes cost")
	}
	needTracer(t)
	p := startProgram(t, "cost")
	p.out.Scan()
	address := p.out.Text()
	measure := func() (plain, fired, text float64) {
		t.Helper()
		p.tell("measure")
		if !p.out.Scan() {
			t.Fatal("the program has ended")
		}
		var again float64
		if _, err := fmt.Sscan(p.out.Text(), &plain, &fired, &text, &again); err != nil {
			t.Fatalf("the program says %q: %v", p.out.Text(), err)
		}
		return (plain + again) / 2, fired, text
	}
	plain, off, offText := measure()
	b := attachTo(t, p, `
		usdt:*:costing:Fired { @fired = count(); } usdt:*:costing:Text { @text = count(); }
		usdt:*:costing:sync { printf("sync\n"); }`)
	_, on, onText := measure()
	b.detach()

	b = attachTo(t, p, fmt.Sprintf(`
		uprobe:/proc/%s/exe:%#x { @ = count(); }
		usdt:*:costing:sync { printf("sync\n"); }`, p.pid(), fileOffset(t, p.pid(), address)), "--unsafe")
	time.Sleep(time.Second) // the sync may have come first
	_, uprobe, _ := measure()
	lines := b.detach()
	if len(lines) != 1 || strings.HasSuffix(lines[0], ": 0") {
		t.Fatalf("the uprobe has counted %q", lines)
	}
	host, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	fmt.Printf("\nns a call, kernel %s", host)
	for _, row := range []struct {
		what     string
		ns, over float64
	}{
		{"the function without a probe", plain, 0}, {"with a probe, off", off, off - plain}, {"with a probe of a string, off", offText, offText - plain},
		{"with a probe, bpftrace counts", on, on - plain}, {"with a probe of a string, bpftrace counts", onText, onText - plain},
		{"with a uprobe, bpftrace counts", uprobe, uprobe - plain},
	} {
		fmt.Printf("%-42s %10.2f %+10.2f\n", row.what, row.ns, row.over)
	}
	fmt.Printf("%-42s %10.1f\n", "uprobe over probe", (uprobe-plain)/(on-plain))
	if ratio := (uprobe - plain) / (on - plain); ratio < 20 {
		t.Errorf("a probe is %.1f times cheaper than a uprobe, want 20", ratio)
	}
	if over := off - plain; over > 0.5 {
		t.Errorf("a probe that is off costs %.2f ns, want at most 0.5", over)
	}
}

// fileOffset returns where the code at an address of a process is in its executable.
func fileOffset(t *testing.T, pid, address string) uint64 {
	t.Helper()
	at, err := strconv.ParseUint(address, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := elf.Open("/proc/" + pid + "/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	for _, part := range exe.Progs {
		if part.Type == elf.PT_LOAD && part.Vaddr <= at && at < part.Vaddr+part.Filesz {
			return at - part.Vaddr + part.Off
		}
	}
	t.Fatalf("no part of the executable has the address %s", address)
	return 0
}
