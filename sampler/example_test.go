package sampler_test

import (
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/sampler"
)

// serve answers requests for half a second.
func serve() {
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		query()
		render()
	}
}

//go:noinline
func query() { time.Sleep(2 * time.Millisecond) }

//go:noinline
func render() { sha256.Sum256(make([]byte, 100_000)) }

// Where does serve spend its time?
func Example() {
	s, err := sampler.Start(sampler.Options{Root: "sampler_test.serve"})
	if err != nil {
		log.Fatal(err)
	}
	serve()
	tree, err := s.Stop()
	if err != nil {
		log.Fatal(err)
	}
	callgraph.Text{Tree: tree, MinShare: 0.01}.WriteTo(os.Stderr)
	// It prints something like
	//
	//	100% (13% cpu) sampler_test.serve
	//	  87% (0% cpu) sampler_test.query
	//	    87% (0% cpu) time.Sleep
	//	  13% (13% cpu) sampler_test.render
	//	    13% (13% cpu) sha256.Sum256

	first := tree.Root.Children[0]
	fmt.Println(strings.HasSuffix(first.Func.Name, ".query"), first.Share(tree.Root) > 0.5)
	// Output:
	// true true
}

// Stop says what to do if there is nothing in the tree.
func ExampleSampler_Stop() {
	s, err := sampler.Start(sampler.Options{Root: "sampler_test.sevre"})
	if err != nil {
		log.Fatal(err)
	}
	serve()
	if _, err := s.Stop(); err != nil {
		text := err.Error()
		fmt.Println(text[strings.Index(text, "and the program"):])
	}
	// Output:
	// and the program seems to have no such function; is it github.com/waymark-go/waymark/sampler_test.serve?
}
