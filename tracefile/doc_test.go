package tracefile_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// The code of the package comment, which the compiler checks here.

func printFile() error {
	f, err := tracefile.Open("prog.wmt")
	if err != nil {
		return err
	}
	defer f.Close()
	var ev tracefile.Event
	events := f.Events()
	for events.Next(&ev) {
		if ev.Kind == tracefile.Enter {
			fn, _ := f.Func(ev.Site)
			fmt.Println(f.Nanos(ev.Clock), ev.Goroutine, fn.Name)
		}
	}
	return events.Err()
}

func printSet(files []*tracefile.File) error {
	set, err := tracefile.Join(files)
	if err != nil {
		return err
	}
	var ev tracefile.Event
	events := set.Events()
	for events.Next(&ev) {
		p := set.Processes[events.Process()]
		fn, _ := p.Func(ev.Site)
		fmt.Println(events.Nanos(), p.Info().PID, ev.Goroutine, fn.Name)
	}
	return events.Err()
}

var _, _ = printFile, printSet

// Each piece of code in the package comment is that of a function above.
func TestPackageCommentCompiles(t *testing.T) {
	text := func(file string) string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	doc, here := text("doc.go"), text("doc_test.go")
	code := regexp.MustCompile(`(?m)(^//\t.*\n(//\n)?)+`).FindAllString(doc, -1)
	for _, c := range code {
		c = strings.ReplaceAll("\n"+strings.TrimRight(c, "/\n"), "\n//", "\n")
		if !strings.Contains(here, "error {"+c+"\n}\n") {
			t.Errorf("doc.go has code that is not that of a function in doc_test.go:%s", c)
		}
	}
	if len(code) != 2 {
		t.Errorf("%d pieces of code in doc.go, want 2", len(code))
	}
}
