package export

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/parquet"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/xmltrace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
	"github.com/waymark-go/waymark/tracefile"
)

// formats are those of the command: other packages write Parquet and XML.
var formats = append(slices.Clone(Formats), Format{Name: "parquet", Write: Stream(parquet.Write)}, Format{Name: "xml", Write: func(w io.Writer, set *tracefile.Set, filter *recording.Filter, _ Options) ([]recording.Summary, error) {
	_, read, err := traces.WriteXML(w, set, filter, traces.Options{Root: filter.Root}, nil)
	return read, err
}})

// readXML reads what the command reads again, as other tools of the format do.
func readXML(t *testing.T, data []byte, _ *ends) map[string]sums {
	name := filepath.Join(t.TempDir(), "out.xml")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	f, damage, err := xmltrace.Open(name)
	if damage != nil || err != nil {
		t.Fatalf("%v, %v: %.300s", damage, err, data)
	}
	defer f.Close()
	set, err := tracefile.Join([]*tracefile.File{f.File})
	if err != nil {
		t.Fatal(err)
	}
	return reported(t, set, recording.Filter{})
}
