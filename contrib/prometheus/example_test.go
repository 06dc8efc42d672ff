package prometheus_test

import (
	"log"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/waymark-go/waymark"
	waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
	"github.com/waymark-go/waymark/otlp"
	"github.com/waymark-go/waymark/timing"
	"github.com/waymark-go/waymark/trace"
)

// A program lets a server scrape its timers.
func Example() {
	statistics := timing.NewStatistics()
	timing.Default.AddHandler(statistics)
	prometheus.MustRegister(waymarkprom.NewCollector(statistics, waymarkprom.Config{}))
	http.Handle("/metrics", promhttp.Handler())
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}

// Roots are the functions whose calls are requests: //waymark:group Roots is over each.
var Roots = waymark.NewGroup("Roots")

// A program sends its slow traces to a collector of OpenTelemetry, and its histograms name them.
func ExampleExemplars() {
	statistics, exemplars := timing.NewStatistics(), new(waymarkprom.Exemplars)
	timing.Default.AddHandler(statistics)
	if err := timing.Attach(timing.Default, Roots); err != nil {
		log.Fatal(err)
	}
	sink, err := otlp.Start("http://collector:4318", otlp.Options{Service: "shop"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = trace.Start(Roots, trace.Options{Tail: 0.99, Failed: true, OnTrace: func(t *trace.Trace) {
		sink.Add(t)
		exemplars.Add(t)
	}})
	if err != nil {
		log.Fatal(err)
	}
	prometheus.MustRegister(waymarkprom.NewCollector(statistics, waymarkprom.Config{Exemplars: exemplars}))
	// Only OpenMetrics and protocol buffers have exemplars.
	options := promhttp.HandlerOpts{EnableOpenMetrics: true}
	http.Handle("/metrics", promhttp.HandlerFor(prometheus.DefaultGatherer, options))
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}
