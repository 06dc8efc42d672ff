package recorded

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
)

// endings are the names of exported files, by format.
var endings = map[string]string{"perfetto": ".pftrace", "speedscope": ".speedscope.json", "pprof": ".pb.gz", "chrome": ".chrome.json", "folded": ".folded.txt"}

// export answers with the recordings, or a part of their time, in the format of another program.
func (r *Recordings) export(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	name := q.Get("to")
	i := slices.IndexFunc(export.Formats, func(f export.Format) bool { return f.Name == name })
	if i < 0 || endings[name] == "" {
		ui.WriteError(w, ui.BadRequest("to=%s: want perfetto, speedscope, pprof, chrome or folded", name))
		return
	}
	var filter recording.Filter
	var err error
	if window := q.Get("time"); window != "" {
		if filter.From, filter.To, err = recording.ParseWindow(window); err != nil {
			ui.WriteError(w, ui.BadRequest("time=%w", err))
			return
		}
	}
	if err := filter.Check(r.set); err != nil {
		ui.WriteError(w, ui.BadRequest("%w", err))
		return
	}
	program := filepath.Base(r.set.Processes[0].Info().Program)
	out := &download{ResponseWriter: w, name: program + endings[name]}
	if _, err := export.Formats[i].Write(out, r.set, &filter, export.Options{}); err != nil && !out.begun {
		ui.WriteError(w, err)
	} else if err != nil {
		panic(http.ErrAbortHandler) // so that the browser does not take a part for the whole
	}
}

// A download becomes a file in the browser with the first byte.
type download struct {
	http.ResponseWriter
	name  string
	begun bool
}

func (d *download) Write(b []byte) (int, error) {
	if !d.begun {
		d.begun = true
		h := d.Header()
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", `attachment; filename="`+fileName(d.name)+`"`)
	}
	return d.ResponseWriter.Write(b)
}

// fileName leaves letters, digits and some signs of a name.
func fileName(name string) string {
	b := []byte(name)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_') {
			b[i] = '_'
		}
	}
	return string(b)
}

var _ io.Writer = (*download)(nil)
