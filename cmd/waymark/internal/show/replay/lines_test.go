package replay

import (
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// program returns the table of a package with these functions.
func program(names ...string) []calltreetest.Table {
	var sites []format.Site
	for _, name := range names {
		sites = append(sites, format.Site{Name: name, File: "main.go", Line: 1})
	}
	return []calltreetest.Table{{Package: "example.com/m", Sites: sites}}
}

// compareLines compares what is printed of a recording of goroutine 1 with lines: time, duration and what
// follows, with one space between them. It returns what the recording lacks.
func compareLines(t *testing.T, r calltreetest.Recording, filter recording.Filter, opt Options, want []string) (lacks string) {
	t.Helper()
	file, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	set, err := tracefile.Join([]*tracefile.File{file})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	done, err := Write(&b, set, &filter, opt)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:] {
		got = append(got, strings.Join(strings.Fields(strings.Replace(line, "[        1]", "", 1)), " "))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf(" got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	return strings.Join(recording.Lacks(done.Read), "\n")
}
