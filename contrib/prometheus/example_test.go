package prometheus_test

import (
	"log"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
	"github.com/waymark-go/waymark/timing"
)

// A program lets a server scrape its timers.
func Example() {
	statistics := timing.NewStatistics()
	timing.Default.AddHandler(statistics)
	prometheus.MustRegister(waymarkprom.NewCollector(statistics, waymarkprom.Config{}))
	http.Handle("/metrics", promhttp.Handler())
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}
