package value_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// The arguments and results of a recording's calls.
func Example() {
	recording := record()
	file, err := tracefile.NewFile(bytes.NewReader(recording), int64(len(recording))) // or Open
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()

	var ev tracefile.Event
	events := file.Events()
	for events.Next(&ev) {
		if ev.Data == nil {
			continue
		}
		values, err := value.Decode(ev.Data, file.Type)
		if err != nil {
			log.Fatal(err)
		}
		site, _ := file.Func(ev.Site)
		if ev.Kind == tracefile.Enter {
			fmt.Println(site.Name + value.List(values, site.Args, false))
		} else {
			fmt.Println(site.Name, "=", values[0])
		}
	}
	if err := events.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// main.repeat(s="ab", n=2)
	// main.repeat = "abab"
}

// record makes a trace file with a call of a function.
func record() []byte {
	w := tracetest.New(tracetest.Clock{Hz: 1e9, Start: 1000})
	w.Sites(1, "main", []format.Site{
		{Name: "main.repeat", File: "main.go", Line: 3, Args: []string{"s", "n"}, Results: []string{"_"}},
	})
	const site, token = 1 << format.SiteShift, 100
	text := func(s string) []byte { return append([]byte{byte(format.KindString), byte(len(s) << 1)}, s...) }
	records := []format.Record{{Clock: 1010, Word: site | token}}
	records = append(records, tracetest.Values(1010, append(text("ab"), byte(format.KindInt), 2<<1))...)
	records = append(records, format.Record{Clock: 1020, Word: format.ExitBit | site | token})
	records = append(records, tracetest.Values(1020, text("abab"))...)
	w.Chunk(0, 1, records)
	w.End(1030, format.Trailer{Events: 2})
	return w.File
}
