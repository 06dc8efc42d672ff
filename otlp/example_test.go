package otlp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/otlp"
	"github.com/waymark-go/waymark/trace"
)

// The slowest requests, and those that failed, go to a collector.
func Example() {
	sink, err := otlp.Start("http://collector:4318", otlp.Options{Service: "shop"})
	if err != nil {
		log.Fatal(err)
	}
	c, err := trace.Start(waymark.Pattern("main.handle"), trace.Options{Slowest: 20, Failed: true, OnTrace: sink.Add})
	if err != nil {
		log.Fatal(err)
	}
	http.ListenAndServe(":8080", http.HandlerFunc(handle))
	if err := c.Stop(); err != nil {
		log.Print(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := sink.Close(ctx); err != nil {
		log.Print(err)
	}
	fmt.Printf("%+v\n", sink.Counts())
}

func handle(w http.ResponseWriter, r *http.Request) {}
