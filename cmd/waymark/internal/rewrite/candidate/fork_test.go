package candidate

import (
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// Whoever forks by itself is found by what it calls, and what runs in the child with it.
func TestForks(t *testing.T) {
	const links = `
//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname after runtime.syscall_runtime_AfterFork
func after()

//go:linkname inChild syscall.runtime_AfterForkInChild
func inChild()

//go:linkname vfork syscall.rawVforkSyscall
func vfork(trap, a, b, c uintptr) (uintptr, syscall.Errno)
`
	tests := []struct{ name, source, want string }{
		{"the child loops in it", `
func fork() { before(); beforeFork(); syscall.RawSyscall(syscall.SYS_CLONE, 0, 0, 0); after(); inChild(); child(0); func() { literal() }() }
func before() {}
func child(i int) int { return next(next(i)) }
func next(i int) int { return i + 1 }
func literal() {}
func main() { fork(); other() }
func other() {}`, "child fork fork.func1 literal next"},
		{"the caller ends it", `
func fork() uintptr { beforeFork(); pid, _, _ := syscall.RawSyscall6(syscall.SYS_CLONE, 0, 0, 0, 0, 0, 0); return helped(pid) }
func helped(p uintptr) uintptr { return p }
func caller() { pid := fork(); check(pid); after(); later(pid) }
func check(uintptr) {}
func later(uintptr) {}`, "check fork helped"},
		{"wrappers", `
func open() { beforeFork() }
func fork() { open(); inside(); after() }
func inside() {}`, "inside open"},
		{"nobody ends it", `
func open() { beforeFork() }
func fork() { open(); inside() }
func inside() {}
func main() { fork() }`, "fork inside main open"},
		{"vfork and methods", `
type proc struct{ fd uintptr }
func (p *proc) start() { vfork(sysClone, 0, 0, 0); p.dup(); same[int](1); syscall.RawSyscall(syscall.SYS_EXIT, 1, 0, 0) }
func (p *proc) dup() { p.each().once() }
func (p proc) each() proc { return p }
func (p proc) once() {}
func (p proc) never() {}
func same[T any](v T) T { return v }
const sysClone = 56
func main() { new(proc).start() }`, "dup each once same start"},
		{"a raw clone that returns in the child", `
func clone() uintptr { pid, _, _ := syscall.RawSyscall(uintptr(syscall.SYS_CLONE), 17, 0, 0); return pid }
func spawn() { if clone() == 0 { exec() } }
func exec() { syscall.RawSyscall(syscall.SYS_EXECVE, 0, 0, 0); fail() }
func fail() { syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 1, 0, 0) }`, "clone exec fail spawn"},
		{"of another package", `
func fork() { sys.BeforeFork(); in(); sys.AfterFork() }
func in() {}`, "fork in"},
		{"nothing of it", `
type group struct{}
func (group) clone() {}
func clone() {}
func main() { clone(); group{}.clone(); syscall.RawSyscall(syscall.SYS_WRITE, 1, 0, 0); syscall.Exec("", nil, nil) }`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := "package main\n\nimport (\n\t\"example.com/sys\"\n\t\"syscall\"\n)\n" + links + tt.source
			tree := syntax.Parse(&syntax.Unit{ImportPath: "main", Main: true, Files: []syntax.File{{Path: "/main.go", Source: []byte(src)}}}, new(syntax.Config))
			if tree.Files[0].AST == nil {
				t.Fatal(tree.Files[0].Reason)
			}
			own, _ := List(tree, flow.Of(tree))
			var got []string
			for _, f := range own {
				if f.Never == "runs between fork and exec" {
					got = append(got, f.Base)
				}
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
