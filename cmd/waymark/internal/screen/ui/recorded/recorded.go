package recorded

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/tracefile"
)

// Recordings are those of a program, and perhaps those of before, to compare with.
type Recordings struct {
	set, base *tracefile.Set // base is nil without recordings of before
	options   Options
	stamps    []stamp

	reads     sync.Mutex // one reading of all events at a time
	profile   ui.Job[*profiles]
	list      ui.Job[*traceList]
	durations ui.Job[*durations]
	pprof     ui.Job[http.Handler]

	mu    sync.Mutex // of what follows, and of the profiles
	views map[string]*View
	used  []string // names of views, the latest one last
}

// profiles are those of now and of before.
type profiles struct{ now, before *Profile }

// Options say what recordings are compared with, and where what is made of them is kept.
type Options struct {
	Base  *tracefile.Set // recordings of before; nil: none
	Cache Cache          // nil: what takes a reading of all events is made each time
}

// New returns the recordings of a set.
func New(set *tracefile.Set, o Options) *Recordings {
	r := &Recordings{set: set, base: o.Base, options: o, views: make(map[string]*View), stamps: stampsOf(set)}
	r.profile = ui.Job[*profiles]{What: "the recording", Make: reading(&r.reads, r.readProfiles)}
	r.list = ui.Job[*traceList]{What: "the traces", Make: reading(&r.reads, func(progress func(read, all uint64)) (*traceList, error) {
		return kept(o.Cache, "traces", set, func() (*traceList, error) { return r.readTraces(progress) })
	})}
	r.durations = ui.Job[*durations]{What: "the durations of all calls", Make: reading(&r.reads, func(progress func(read, all uint64)) (*durations, error) {
		return kept(o.Cache, "durations", set, func() (*durations, error) { return r.readDurations(progress) })
	})}
	r.pprof = ui.Job[http.Handler]{What: "the recording for pprof", Make: reading(&r.reads, r.makePprof)}
	return r
}

// reading has a job wait for others that read, too.
func reading[T any](mu *sync.Mutex, read func(progress func(read, all uint64)) (T, error)) func(func(read, all uint64)) (T, error) {
	return func(progress func(read, all uint64)) (T, error) {
		mu.Lock()
		defer mu.Unlock()
		return read(progress)
	}
}

// Pages are those that Mount answers.
var Pages = []ui.Page{{Name: "overview", Title: "Overview"}, {Name: "flame", Title: "Flame graph"}, {Name: "tree", Title: "Call tree"},
	{Name: "traces", Title: "Traces"}, {Name: "source", Title: "Source"}}

// Mount adds the answers to what Pages ask to a server, and begins to read.
func (r *Recordings) Mount(s *ui.Server) {
	s.HandleJSON("GET /api/overview", r.overview)
	s.HandleJSON("GET /api/flame", r.flame)
	s.HandleJSON("GET /api/tree", r.tree)
	s.HandleJSON("GET /api/search", r.search)
	s.HandleJSON("GET /api/function", r.function)
	s.HandleJSON("GET /api/histogram", r.histogram)
	s.HandleJSON("GET /api/traces", r.traces)
	s.HandleJSON("GET /api/trace", r.trace)
	s.HandleJSON("GET /api/files", r.files)
	s.HandleJSON("GET /api/source", r.source)
	s.Handle("GET /api/export", http.HandlerFunc(r.export))
	s.Handle("GET /pprof/", http.HandlerFunc(r.servePprof))
	r.profile.Start()
}

// Wait waits until the recordings have been read, or could not be.
func (r *Recordings) Wait() { r.profile.Wait(context.Background()) }

func (r *Recordings) readProfiles(progress func(read, all uint64)) (*profiles, error) {
	p := new(profiles)
	read := func(set *tracefile.Set) (*Profile, error) {
		profile, err := kept(r.options.Cache, "profile", set, func() (*Profile, error) { return readProfile(set, progress) })
		if profile != nil {
			profile.shorten()
		}
		return profile, err
	}
	var err error
	if r.base != nil {
		if p.before, err = read(r.base); err != nil {
			return nil, err
		}
	}
	p.now, err = read(r.set)
	return p, err
}

// A stamp is what tells whether a file is still the one that was opened.
type stamp struct {
	path string
	info os.FileInfo
}

func stampsOf(set *tracefile.Set) (list []stamp) {
	for _, file := range set.Processes {
		for _, part := range file.Parts() {
			if info, err := os.Stat(part.Path()); err == nil {
				list = append(list, stamp{part.Path(), info})
			}
		}
	}
	return list
}

// changes says what has become of the files since they were opened.
func (r *Recordings) changes() (list []string) {
	for _, s := range r.stamps {
		info, err := os.Stat(s.path)
		switch {
		case err != nil:
			list = append(list, fmt.Sprintf("%s was removed: these pages show its earlier content", s.path))
		case !os.SameFile(info, s.info):
			list = append(list, fmt.Sprintf("%s is another file now: these pages are about the one before. Start waymark serve again to see it.", s.path))
		case info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()):
			list = append(list, fmt.Sprintf("%s has changed: these pages show its content from then. Start waymark serve again to see the rest.", s.path))
		}
	}
	return list
}

// overview answers with the report and what is said about the recordings as a whole.
func (r *Recordings) overview(*http.Request) (any, error) {
	p, err := r.profile.Get()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	info := r.set.Processes[0].Info()
	short := make(map[string]string)
	for i := range p.now.Functions {
		short[p.now.Functions[i].Name] = p.now.short[i]
	}
	notes := append([]string{}, slices.Concat(r.changes(), p.now.Damage, p.now.Lacks)...) // never null in JSON
	for _, file := range r.set.Processes {
		if file.Info().Live {
			notes = append(notes, fmt.Sprintf("%s is still being written: these pages show its content from when waymark serve opened it", file.Path()))
		}
	}
	return struct {
		Report   any               `json:"report"`
		Short    map[string]string `json:"short"`
		Notes    []string          `json:"notes"`
		Alive    []int             `json:"alive"`
		Measures []measure         `json:"measures"`
		Waits    bool              `json:"waits"`
		Makes    bool              `json:"makes"`
		Compares bool              `json:"compares"`
		Facts    [][2]string       `json:"facts"`
	}{p.now.Report, short, notes, p.now.Alive, p.now.measures(), p.now.Waits, p.now.Makes, p.before != nil, facts(r.set, info)}, nil
}

// facts are lines about the recordings.
func facts(set *tracefile.Set, info tracefile.Info) [][2]string {
	list := [][2]string{
		{"Program", info.Program},
		{"Recorded", info.Start.Format(time.DateTime) + " on " + info.Host},
		{"Built with", info.Go + ", " + info.GOOS + "/" + info.GOARCH},
		{"Processors", fmt.Sprint(info.CPUs)},
		{"State", recording.Completeness(info)},
	}
	if list[4][1] == "" {
		list[4][1] = "complete"
	}
	if len(set.Processes) > 1 {
		list = append(list, [2]string{"Processes", fmt.Sprint(len(set.Processes))})
	}
	return list
}

// mostViews is how many views are kept.
const mostViews = 6

// view returns the view that a request asks for, and the profiles. r.mu must be held.
func (r *Recordings) view(req *http.Request) (*View, *profiles, error) {
	p, err := r.profile.Get()
	if err != nil {
		return nil, nil, err
	}
	q := req.URL.Query()
	var d direction
	switch name := q.Get("view"); name {
	case "":
	case "callees":
		d = callees
	case "callers":
		d = callers
	default:
		return nil, nil, ui.BadRequest("view=%s: want callees or callers, or none", name)
	}
	function := q.Get("function")
	key := fmt.Sprint(d, " ", function)
	v, ok := r.views[key]
	if !ok {
		if v, err = view(p.now, p.before, d, function); err != nil {
			return nil, nil, err
		}
		if len(r.used) == mostViews {
			delete(r.views, r.used[0])
			r.used = r.used[1:]
		}
		r.views[key] = v
		r.used = append(r.used, key)
	}
	return v, p, nil
}
