// Package toolchain adds waymark's hooks to a Go toolchain's packages runtime and net/http and, for tests,
// testing.
//
// Nothing in GOROOT is changed: the result is a set of files for `go build -overlay`. New files
// hold the hooks themselves (the folders _runtime and _testing). Some files of the packages get
// small insertions, each at an anchor. An insertion is fields at the end of a struct type, or a
// statement before another statement. An anchor names the function and the text with which the
// other statement begins.
//
// Anchors are found in the parsed source and not by line numbers, so that one table serves several
// Go releases. If an anchor is missing or no longer unique, waymark doesn't know the toolchain, and
// the build fails with an error that says so. It also fails if a function with an anchor is another
// one than in the tested release of the same minor version. The user may take the risk and build
// anyway.
package toolchain

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
)

//go:embed _runtime/* _testing/*
var hooks embed.FS

// An anchor is a place in a package's source. Exactly one of typ, fn and each is set.
type anchor struct {
	file   string
	typ    string // insert fields at the end of this struct type
	fn     string // insert into this function, or method as in T.Parallel
	each   string // insert into each function whose name this expression matches. The function and the file are optional
	before string // before the one statement in it, at any depth, that begins with this text
	text   string
}

// roomToSpawn is on the stack of who starts a goroutine, which may wait.
const roomToSpawn = "if gp.wm.flags&wmHeard != 0 { wmRoomToSpawn(gp) }; "

// anchors are the places, the same in all tested releases. Text is inserted
// without a line break, so that the runtime's own line numbers stay.
var anchors = []anchor{
	// Fields go to the end: assembly and the garbage collector know the offsets of some others.
	{file: "runtime2.go", typ: "g", text: "wm wmG"},
	{file: "runtime2.go", typ: "p", text: "wm wmP"},
	// After gopanic's checks that the program can go on, before the first deferred call.
	{file: "panic.go", fn: "gopanic", before: "p.start(", text: "wmOnPanic(gp, wmToken(gp, sys.GetCallerSP()), e); "},
	{file: "panic.go", fn: "Goexit", before: "p.start(", text: "wmOnGoexit(getg(), wmToken(getg(), sys.GetCallerSP())); "},
	{file: "panic.go", fn: "Goexit", before: "goexit1()", text: "wmOnGoexited(getg()); "},
	// Here a function goes on that has recovered from a panic. Code of the program's may only run
	// when start has taken what recovery left in gp.param.
	{file: "panic.go", fn: "deferreturn", before: "for {", text: "if gp := getg(); gp.wm.unwound != 0 { wmRecovered(gp) }; "},
	// sp is final here: that of a pending Goexit with which recovery goes on, if there is one. p0 has recovered.
	{file: "panic.go", fn: "recovery", before: "gp.sched.sp = sp", text: "wmOnRecovery(gp, sp, uintptr(p0.sp)); "},
	// Every fatal end that the runtime itself brings about comes here.
	{file: "panic.go", fn: "startpanic_m", before: "gp.m.mallocing++", text: "wmOnFatal(); "},
	// Who waits for this lock keeps its P, and the last words need one.
	{file: "panic.go", fn: "fatal", before: "printlock()", text: "systemstack(wmSecond); "},
	// Memory of the arena may be gone: the instruction is tried again.
	{file: "signal_unix.go", fn: "sighandler", before: "delayedSignal := ", text: "if sig == _SIGBUS && wmOnFault(uintptr(c.sigaddr())) { return }; "},
	// The program is about to die of the signal; of SIGQUIT after it has said what it was doing.
	{file: "signal_unix.go", fn: "sighandler", before: "if flags&_SigKill != 0", text: "if (flags&_SigKill != 0 || sig == _SIGQUIT) && wmOnKill(sig) { return }; "},
	// It is about to die of writing where nobody reads.
	{file: "signal_unix.go", fn: "sigpipe", before: "dieFromSignal(_SIGPIPE)", text: "wmLastWords(); "},
	// While gp is still the M's current goroutine.
	{file: "proc.go", fn: "gdestroy", before: "casgstatus(gp, _Grunning, _Gdead)", text: "wmOnEnd(gp); "},
	{file: "proc.go", fn: "newproc", before: "systemstack(func() {", text: roomToSpawn},
	{file: "coro.go", fn: "newcoro", before: "systemstack(func() {", text: roomToSpawn},
	{file: "synctest.go", fn: "synctestRun", before: "pc := sys.GetCallerPC()", text: roomToSpawn},
	// It has its goid, and nobody else knows it yet.
	{file: "proc.go", fn: "newproc1", before: "newg.trace.reset()", text: "if callergp.wm.flags&wmHeard != 0 { wmOnSpawn(callergp, newg) }; if callergp.wm.strand != 0 { wmOnGo(callergp, newg) }; if callergp.wm.above != nil { wmPassAbove(callergp, newg) }; if callergp.wm.flags >= wmMute1 { wmPassMute(newg) }; "},
	// What started a goroutine is on the stack of callergp.
	{file: "proc.go", fn: "newproc1", before: "newg.gopc = callerpc", text: "if wmPaths.on { newg.wm.node = wmStartPath(callergp) }; "},
	// What the timer starts belongs to who sets it.
	{file: "time.go", fn: "newTimer", before: "t.modify(", text: "if c == nil && (getg().wm.strand != 0 || getg().wm.above != nil) { f, arg = wmCallOfTimer(f, arg) }; "},
	{file: "time.go", fn: "resetTimer", before: "return t.reset(", text: "if (wmTraces.on.Load() != 0 || getg().wm.above != nil) && !t.isChan { return wmResetTimer(&t.timer, when, period) }; "},
	// Each object that is made comes to one of these places while debug.malloc is set.
	{file: "malloc.go", fn: "mallocgc", before: "if x := preMallocgcDebug(", text: "if wmObjects.alone {} else "},
	{file: "malloc.go", fn: "mallocgc", before: "postMallocgcDebug(", text: "if wmAlone() { wmOnMalloc(0, typ, false, elemsize); return x }; "},
	{file: "malloc_generated.go", each: `^mallocgcSmall\w+SC\d+$`, before: "return mallocgcSmall", text: "if wmAlone() { size, typ, needzero = wmOnMalloc(size, typ, needzero, elemsize); mp = acquirem(); goto wmCounted }; "},
	{file: "malloc_generated.go", each: `^mallocgcTinySC\d+$`, before: "return mallocgcTinySlowPath(", text: "if wmAlone() { size, typ, needzero = wmOnMalloc(size, typ, needzero, wmTinySlot(size)); mp = acquirem(); goto wmCounted }; "},
	// In releases without the statements above it something else follows.
	{file: "malloc_generated.go", each: `^mallocgc(Small\w+|Tiny)SC\d+$`, before: "lockRankMayQueueFinalizer()\n\n\tconst ", text: "wmCounted: "},
	{file: "malloc.go", fn: "postMallocgcDebug", before: "if inittrace.active", text: "if wmObjects.on { if wmObjects.told { wmTellMalloc(elemsize) }; wmOnMalloc(0, typ, false, elemsize) }; "},
	{file: "proc.go", fn: "syscall_runtime_BeforeExec", before: "execLock.lock()", text: "wmOnExec(); "},
	// No fast path writes values of the goroutine from here on, see waymark_hides.go.
	{file: "secret.go", fn: "secret_inc", before: "gp.secret++", text: "gp.wm.id = 0; "},
	// All of it has been counted.
	{file: "metrics.go", fn: "schedStatsAggregate.compute", before: "unlock(&sched.lock)", text: "wmHideGoroutines(a); "},
	{file: "proc.go", fn: "main", before: "last := lastmoduledatap", text: "wmInitFirst(); "},
	// A goroutine stops running while it still has its P. In park_m and preemptPark others may make it
	// ready, or take it, as soon as its state has changed. systemstack overwrites gp.sched.
	{file: "proc.go", fn: "newproc1", before: "pp.goidcache++", text: "if wmWaits.Load() { wmOnNew(callergp, newg, parked) }; "},
	{file: "proc.go", fn: "park_m", before: "casgstatus(gp, _Grunning, _Gwaiting)", text: "if wmWaits.Load() { wmOnPark(gp, wmReason(gp)) }; "},
	{file: "proc.go", fn: "preemptPark", before: "casGToPreemptScan(gp,", text: "if wmWaits.Load() { wmOnPark(gp, wmWaitGC) }; "},
	{file: "proc.go", fn: "goschedImpl", before: "casgstatus(gp, _Grunning, _Grunnable)", text: "if wmWaits.Load() { wmOnYield(gp) }; "},
	{file: "proc.go", fn: "goyield_m", before: "casgstatus(gp, _Grunning, _Grunnable)", text: "if wmWaits.Load() { wmOnYield(gp) }; "},
	{file: "proc.go", fn: "reentersyscall", before: "trace := traceAcquire()", text: "if wmWaits.Load() { systemstack(func() { wmOnPark(gp, wmOutside(pc)) }); save(pc, sp, bp) }; "},
	{file: "proc.go", fn: "entersyscallblock", before: "trace := traceAcquire()", text: "if wmWaits.Load() { systemstack(func() { wmOnPark(gp, wmWaitSyscall) }) }; "},
	{file: "coro.go", fn: "coroswitch_m", before: "gp.waitreason = waitReasonCoroutine", text: "if wmWaits.Load() { wmOnPark(gp, wmWaitCoroutine) }; "},
	// It may run, and isn't anybody else's yet. No goroutine makes those of injectglist ready.
	{file: "proc.go", fn: "ready", before: "casgstatus(gp, _Gwaiting, _Grunnable)", text: "if wmWaits.Load() { wmOnReady(gp, mp.curg) }; "},
	{file: "proc.go", fn: "injectglist", before: "tail = gp", text: "if wmWaits.Load() { wmOnReady(gp, nil) }; "},
	{file: "proc.go", fn: "exitsyscallNoP", before: "casgstatus(gp, _Grunning, _Grunnable)", text: "if wmWaits.Load() { wmOnReady(gp, nil) }; "},
	// Nothing runs, and no timer is set. But somebody may go on when a pause ends.
	{file: "proc.go", fn: "checkdead", before: "for _, pp := range allp {", text: "if wmAwaits() { return }; "},
	// A goroutine that is in a hurry is there.
	{file: "proc.go", fn: "findRunnable", before: "if pp.schedtick%61 == 0", text: "if wmHurry.Load() != 0 { wmLookFirst(pp) }; "},
	// A goroutine of waymark's that is to give up its P goes on, most often.
	{file: "proc.go", fn: "goschedImpl", before: "if preempted && sched.gcwaiting", text: "if wmGoesOn(pp, gp, preempted) {} else "},
	// It comes back from a system call, and there is no P for it, or it has waited.
	{file: "proc.go", fn: "exitsyscallNoP", before: "if pp == nil {", text: "if pp == nil && gp.wm.flags&wmAhead != 0 { wmComesFirst(gp); locked = gp.lockedm != 0 } else "},
	{file: "proc.go", fn: "ready", before: "runqput(mp.p.ptr(), gp, next)", text: "if gp.wm.flags&wmAhead != 0 { wmReadied(gp); wakep(); releasem(mp); return }; "},
	// It would wait for all others that want to start the same.
	{file: "mgc.go", fn: "gcStart", before: "semacquire(&work.startSema)", text: "if trigger.kind == gcTriggerHeap && wmLeavesStart() { return }; "},
	{file: "coro.go", fn: "coroswitch_m", before: "if !canCAS || !gnext.atomicstatus", text: "gnext.wm.counts = 0; if wmWaits.Load() { wmOnReady(gnext, gp); wmOnRun(gnext) }; "},
	// A goroutine may go on with another P.
	{file: "proc.go", fn: "wirep", before: "gp.m.p.set(pp)", text: "if curg := gp.m.curg; curg != nil { curg.wm.counts = 0 }; "},
	// It runs again, or will at once, with a P. As runtime/trace's, the clock is read last.
	{file: "proc.go", fn: "execute", before: "gogo(&gp.sched)", text: "gp.wm.counts = 0; if wmWaits.Load() { wmOnRun(gp) }; "},
	{file: "proc.go", fn: "exitsyscall", before: "pp.syscalltick++", text: "if wmWaits.Load() { wmOnSyscallEnd(gp) }; "},
}

// A File is a file of the overlay.
type File struct {
	Content []byte
	Runs    []edit.Run // what it keeps of the toolchain's file; nil of one that is added
}

// Patch returns the overlay for the toolchain at goroot: paths below
// goroot/src/runtime and their contents. version (go env GOVERSION) is for error
// messages. untested has a release accepted that isn't tested, if its anchors are found. first lists
// the packages that are initialised before all others.
func Patch(goroot, version string, untested bool, first []string) (map[string]File, error) {
	out, err := patchPackage(goroot, version, "runtime", untested, anchors)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(goroot, "src", "runtime")
	out[filepath.Join(dir, "waymark_first.go")] = File{Content: fmt.Appendf(nil,
		"package runtime\n\n// wmFirst lists the packages to initialise before all others.\nconst wmFirst = %q\n", strings.Join(first, "\n"))}
	return out, nil
}

// patchPackage returns the overlay for a package of the standard library: its own
// files with text at anchors, and the hooks' files beside them.
func patchPackage(goroot, version, pkg string, untested bool, anchors []anchor) (map[string]File, error) {
	if _, err := nearest(version); err != nil && !untested {
		return nil, err
	}
	dir := filepath.Join(goroot, "src", pkg)
	out := make(map[string]File)
	entries, err := hooks.ReadDir("_" + pkg)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".h") {
			continue // is in the files that include it
		}
		b, err := include("_"+pkg, e.Name())
		if err != nil {
			return nil, err
		}
		out[filepath.Join(dir, e.Name())] = File{Content: b}
	}
	if len(entries) > 0 {
		if err := addShared(out, dir, pkg); err != nil {
			return nil, err
		}
	}

	edits := make(map[string]*patch)
	for _, a := range anchors {
		p := edits[a.file]
		if p == nil {
			if p, err = parse(filepath.Join(dir, a.file)); a.each != "" && errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return nil, fmt.Errorf("read package %s of %s: %w", pkg, version, err)
			}
			edits[a.file] = p
		}
		if err := p.apply(a); err != nil {
			return nil, fmt.Errorf("waymark does not know package %s of %s: %s: %w; tested are %s",
				pkg, version, a.file, err, strings.Join(Tested, ", "))
		}
	}
	if !untested {
		if err := check(version, pkg, allHashed(edits, pkg, anchors)); err != nil {
			return nil, err
		}
	}
	for _, p := range edits {
		b, err := p.buf.Bytes()
		if err != nil {
			return nil, err
		}
		if runs := p.buf.Runs(); len(runs) > 1 { // else none of its anchors is in this release
			out[p.name] = File{b, runs}
		}
	}
	return out, nil
}

var included = regexp.MustCompile(`(?m)^#include "(waymark_.*\.h)"\n`)

// include returns a file of the hooks with the headers of ours that it includes. The assembler would look
// for them in the toolchain's folder, as overlays are nothing that it knows of.
func include(dir, name string) ([]byte, error) {
	b, err := hooks.ReadFile(dir + "/" + name)
	if err != nil {
		return nil, err
	}
	text := included.ReplaceAllFunc(b, func(line []byte) []byte {
		header, failed := hooks.ReadFile(dir + "/" + string(included.FindSubmatch(line)[1]))
		if failed != nil {
			err = failed
		}
		return header
	})
	return text, err
}

// A patch is a source file with edits to come.
type patch struct {
	name string
	src  []byte
	fset *token.FileSet
	file *ast.File
	buf  *edit.Buffer
}

func parse(name string) (*patch, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &patch{name, src, fset, file, edit.NewBuffer(src)}, nil
}

func (p *patch) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }

func (p *patch) apply(a anchor) error {
	if a.typ != "" {
		s := p.structType(a.typ)
		if s == nil {
			return fmt.Errorf("no struct type %s", a.typ)
		}
		p.buf.Insert(p.offset(s.Fields.Closing), a.text+" ")
		return nil
	}
	if a.each != "" {
		return p.applyEach(a)
	}
	fn := p.function(a.fn)
	if fn == nil {
		return fmt.Errorf("no function %s", a.fn)
	}
	at, err := p.statement(fn, a.before)
	if err != nil {
		return err
	}
	if at < 0 {
		return fmt.Errorf("function %s has no %q", a.fn, a.before)
	}
	p.buf.Insert(at, a.text)
	return nil
}

// applyEach applies an anchor to each function that it names and that has the statement.
func (p *patch) applyEach(a anchor) error {
	names := regexp.MustCompile(a.each)
	for _, decl := range p.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || !names.MatchString(fn.Name.Name) {
			continue
		}
		at, err := p.statement(fn, a.before)
		if err != nil {
			return err
		}
		if at >= 0 {
			p.buf.Insert(at, a.text)
		}
	}
	return nil
}

// statement returns where the one statement of a function begins that has this text at its begin, -1 if
// there is none.
func (p *patch) statement(fn *ast.FuncDecl, before string) (int, error) {
	at := -1
	twice := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		for _, stmt := range block.List {
			if i := p.offset(stmt.Pos()); bytes.HasPrefix(p.src[i:], []byte(before)) {
				twice = twice || at >= 0
				at = i
			}
		}
		return true
	})
	if twice {
		return -1, fmt.Errorf("function %s has %q twice", fn.Name.Name, before)
	}
	return at, nil
}

func (p *patch) structType(name string) *ast.StructType {
	for _, decl := range p.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
				s, _ := t.Type.(*ast.StructType)
				return s
			}
		}
	}
	return nil
}

// function finds a function, or a method by the name of its receiver's type and its own.
func (p *patch) function(name string) *ast.FuncDecl {
	for _, decl := range p.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if fullName(fn) == name {
			return fn
		}
	}
	return nil
}

// fullName returns a function's name, that of a method behind the name of its receiver's type.
func fullName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, ok := typ.(*ast.Ident)
	if !ok {
		return "" // of a generic type
	}
	return id.Name + "." + fn.Name.Name
}
