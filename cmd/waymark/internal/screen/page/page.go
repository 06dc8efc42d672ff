package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
)

var (
	//go:embed assets/page.html
	frame string
	//go:embed assets/page.js
	script string
	//go:embed assets/page.css
	style string

	parsed = template.Must(template.New("page").Parse(frame))
)

// mostRows is how many functions the table has: a file of a few MB opens at once.
const mostRows = 5000

// data is what the script reads.
type data struct {
	Report json.RawMessage   `json:"report"`
	Short  map[string]string `json:"short"` // names of functions, if they differ from those in full
	More   int               `json:"more"`  // functions that the table doesn't have
	Lacks  []string          `json:"lacks"`
	Tree   tree              `json:"tree"`
	Sort   string            `json:"sort"`
}

// Write writes a report that was made with Options.Tree. lacks are what it is to say of what is missing.
func Write(w io.Writer, r *report.Report, lacks []string) error {
	d := data{Short: make(map[string]string), Lacks: append([]string{}, lacks...), Sort: report.Sorts[r.Sort]}
	limited := *r
	if limited.Top == 0 {
		limited.Top = mostRows
	}
	var b bytes.Buffer
	if err := limited.Write(&b, report.JSON); err != nil {
		return err
	}
	d.Report = b.Bytes()
	var rows []*report.Row
	rows, d.More = limited.Rows()
	d.Tree = treeOf(r.CallTree())
	for _, row := range rows {
		d.shorten(r, row.Name)
	}
	for _, name := range d.Tree.Names {
		d.shorten(r, name)
	}
	text, err := json.Marshal(d) // which escapes < and >, so that no name ends the element
	if err != nil {
		return err
	}
	code, err := ui.Bundle(script)
	if err != nil {
		return err
	}
	sheet := ui.Style("flame") + style
	title := ""
	if s := recording.Sum(r.Recordings); s.Info.Program != "" {
		title = filepath.Base(s.Info.Program)
	}
	return parsed.Execute(w, map[string]any{
		"Title": title, "Summary": strings.TrimPrefix(r.Summary(), title+": "),
		"Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; script-src " + hash(code) + "; style-src " + hash(sheet),
		"Style":  template.CSS(sheet), "Script": template.JS(code), "Data": template.JS(text),
	})
}

func (d *data) shorten(r *report.Report, name string) {
	if short := r.Short(name); short != name {
		d.Short[name] = short
	}
}

// hash returns what a Content-Security-Policy calls a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
