package stats_test

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/waymark-go/waymark/stats"
)

// A program that waymark has built prints what its functions did in the last ten seconds.
func Example() {
	g, err := stats.Start(stats.Options{Histograms: true})
	if err != nil {
		log.Fatal(err) // stats.ErrNotBuilt: plain Go has built the program
	}
	defer g.Stop()
	before := g.Snapshot()
	time.Sleep(10 * time.Second)
	for _, f := range g.Snapshot().Since(before).Functions {
		fmt.Println(f.Name, f.Calls, f.Self, f.Quantile(0.99))
	}
}

// Reports that a program has written as JSON are read as snapshots.
func ExampleSnapshot_UnmarshalJSON() {
	report := `{"program":"/bin/shop","pid":4711,"last":true,
		"from":"2026-01-02T03:04:05Z","to":"2026-01-02T03:04:07Z","duration_ns":2000000000,"goroutines":3,
		"functions":[
			{"name":"example.com/shop/stock.Find","package":"example.com/shop/stock","file":"find.go","line":7,
			 "calls":1000,"open":0,"panics":0,"errors":2,"total_ns":1234567890,"self_ns":234567890,
			 "min_ns":10000,"max_ns":98765432,"avg_ns":1234567,
			 "p50_ns":1100000,"p90_ns":2200000,"p99_ns":3300000,"p999_ns":4400000},
			{"name":"main.main","package":"main","file":"main.go","line":3,
			 "calls":1,"open":1,"panics":0,"errors":0,"total_ns":2000000000,"self_ns":765432110,
			 "min_ns":2000000000,"max_ns":2000000000,"avg_ns":2000000000}]}`
	var s stats.Snapshot
	if err := json.Unmarshal([]byte(report), &s); err != nil {
		log.Fatal(err)
	}
	find := s.Functions[0]
	fmt.Println(find.Name, find.Calls, find.Mean, find.Quantile(0.99))
	for _, p := range s.Packages() {
		fmt.Println(p.Name, p.Self)
	}
	stats.Text{Snapshot: &s, Top: 1}.WriteTo(os.Stdout)
	// Output:
	// example.com/shop/stock.Find 1000 1.234567ms 3.3ms
	// main 765.43211ms
	// example.com/shop/stock 234.56789ms
	// Top 1 time consuming functions:
	//   Total time   Self time  Calls   Min   Avg   Max  Panics  Errors  Function
	//   ----------  ----------  -----  ----  ----  ----  ------  ------  ----------------
	//     2.000 s   765.432 ms      1  open  open  open       -       -  main.main (open)
	//
	// Top 1 called functions:
	//   Calls  Function
	//   -----  ----------
	//    1000  stock.Find
}
