package recorded

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
)

// pprofPolicy is the Content-Security-Policy of pprof's pages, which have scripts and styles inside.
// They are made from templates that escape names.
const pprofPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// makePprof makes the pages of pprof's own web UI, of what waymark export --to pprof writes.
func (r *Recordings) makePprof(func(read, all uint64)) (http.Handler, error) {
	i := slices.IndexFunc(export.Formats, func(f export.Format) bool { return f.Name == "pprof" })
	var b bytes.Buffer
	var filter recording.Filter
	if _, err := export.Formats[i].Write(&b, r.set, &filter, export.Options{}); err != nil && b.Len() == 0 {
		return nil, err
	}
	prof, err := profile.Parse(&b)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	err = driver.PProf(&driver.Options{
		Flagset: &pprofFlags{flag.NewFlagSet("pprof", flag.ContinueOnError)},
		Fetch:   fetched{prof},
		UI:      quiet{},
		HTTPServer: func(args *driver.HTTPServerArgs) error {
			for pattern, handler := range args.Handlers {
				if !strings.HasSuffix(pattern, "config") { // saved ones are files of the user's: pages change none
					mux.Handle(pattern, handler)
				}
			}
			return nil
		},
	})
	return mux, err
}

// servePprof answers with pprof's pages, the first time when they are made.
func (r *Recordings) servePprof(w http.ResponseWriter, req *http.Request) {
	h, err := r.pprof.Wait(req.Context())
	if err != nil {
		ui.WriteError(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", pprofPolicy)
	http.StripPrefix("/pprof", h).ServeHTTP(w, req)
}

// pprofFlags are pprof's command line: serve, and open no browser.
type pprofFlags struct{ *flag.FlagSet }

func (f *pprofFlags) StringList(name, value, usage string) *[]*string {
	return &[]*string{f.String(name, value, usage)}
}
func (f *pprofFlags) ExtraUsage() string   { return "" }
func (f *pprofFlags) AddExtraUsage(string) {}
func (f *pprofFlags) Parse(func()) []string {
	if err := f.FlagSet.Parse([]string{"-http=localhost:0", "-no_browser", "recording"}); err != nil {
		return nil
	}
	return f.Args()
}

// fetched is a profile that is there already.
type fetched struct{ *profile.Profile }

func (f fetched) Fetch(string, time.Duration, time.Duration) (*profile.Profile, string, error) {
	return f.Profile, "", nil
}

// quiet is a terminal that nobody reads.
type quiet struct{}

func (quiet) ReadLine(string) (string, error)     { return "", errors.New("there is no terminal") }
func (quiet) Print(...any)                        {}
func (quiet) PrintErr(args ...any)                { _ = fmt.Sprint(args...) }
func (quiet) IsTerminal() bool                    { return false }
func (quiet) WantBrowser() bool                   { return false }
func (quiet) SetAutoComplete(func(string) string) {}
