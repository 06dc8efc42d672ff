package probe

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// recorderSupported reports whether waymark has built the program.
const recorderSupported = rt.Enabled

// Record returns the factory of a sink for waymark's recordings. A firing is an event of the
// trace, with its arguments, in the call that it fires in. It is like a call of an info function of
// the provider's package. It is recorded whenever info functions of that package are. In a program
// that waymark has not built, there is no sink and no error.
func Record() Factory {
	return one("Record", func(l *live) (sink, error) {
		if !rt.Enabled {
			return nil, nil
		}
		return openRecorder(l, rt.Register, rt.Info), nil
	})
}

// recorder is a provider's sink for recordings.
type recorder struct {
	live *live
	info func(p *rt.Package, i int, args ...any)
	*added
}

// An added is what a provider has added to the program's functions, once and for ever: a provider that
// is registered again has the same.
type added struct {
	mu       sync.Mutex
	pkg      *rt.Package
	recorded []atomic.Bool // by probe
	user     *recorder     // that is told; nil: nobody has registered the provider
	number   int           // of the user, among its provider's sinks
}

// additions are by the names of packages and probes.
var additions = struct {
	mu    sync.Mutex
	known map[string]*added
}{known: make(map[string]*added)}

func openRecorder(l *live, register func(*rt.Package), info func(*rt.Package, int, ...any)) sink {
	path := packagePath(l.of.PkgPath())
	_, file, line := caller()
	var sites []format.Site
	key := []string{path}
	for _, p := range l.probes {
		s := format.Site{Name: l.of.PkgPath() + "." + l.name + "." + p.name, File: file, Line: line}
		for i := range p.args {
			s.Args = append(s.Args, argNames[i])
		}
		sites = append(sites, s)
		key = append(key, s.Name, strings.Join(s.Args, ","))
	}
	additions.mu.Lock()
	defer additions.mu.Unlock()
	a := additions.known[strings.Join(key, "\n")]
	if a == nil {
		a = &added{recorded: make([]atomic.Bool, len(sites))}
		additions.known[strings.Join(key, "\n")] = a
		a.pkg = switchboard.Default.AddMarkers(switchboard.Markers{Path: path, Sites: sites, Changed: a.changed}, register)
	}
	return &recorder{live: l, info: info, added: a}
}

// changed is told by the switchboard.
func (a *added) changed(i int, recorded bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.recorded[i].Store(recorded)
	if a.user != nil {
		a.user.live.look(a.user.live.probes[i], a.number, recorded)
	}
}

func (r *recorder) name() string { return "Record" }

func (r *recorder) begin(p *Probe, number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.user, r.number = r, number
	r.live.look(p, number, r.recorded[p.index].Load())
}

func (r *recorder) enabled(p *Probe) bool { return r.recorded[p.index].Load() }

func (r *recorder) fire(p *Probe, v *values) {
	if r.recorded[p.index].Load() {
		r.info(r.pkg, p.index, p.any(v)...)
	}
}

func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.user == r {
		r.user = nil
	}
	return nil
}

// packagePath returns the import path of a package, which reflect calls main in programs.
func packagePath(path string) string {
	if path == "main" {
		if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" && info.Path != "command-line-arguments" {
			return info.Path
		}
	}
	return path
}

// caller returns who has called Register: the first function outside this package.
func caller() (function, file string, line int) {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		if !more || !strings.HasPrefix(f.Function, "github.com/waymark-go/waymark/probe.") {
			return f.Function, f.File, f.Line
		}
	}
}
