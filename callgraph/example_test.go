package callgraph_test

import (
	"fmt"
	"os"
	"time"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/stats"
)

// sampled returns a tree such as package sampler makes.
func sampled() *callgraph.Tree {
	node := func(name string, samples int64, cpu int64, children ...*callgraph.Node) *callgraph.Node {
		const each = 10 * time.Millisecond
		return &callgraph.Node{
			Func: callgraph.Func{Name: name}, Samples: samples,
			Total: time.Duration(samples) * each, CPU: time.Duration(cpu) * each, Children: children,
		}
	}
	return &callgraph.Tree{
		Root: node("main.serve", 100, 60,
			node("example.com/shop/store.Find", 65, 35,
				node("sync.(*Mutex).Lock", 30, 0)),
			node("encoding/json.Marshal", 35, 25)),
		Sampling: &callgraph.Sampling{Rate: 100, Samples: 100, Goroutines: 4, Seen: 100, Counted: 100, Max: 1000, Limit: 0.05},
		From:     time.Unix(0, 0), To: time.Unix(1, 0),
	}
}

// A tree prints itself: each function below its caller, with its share of the root's time, and how
// much of that was on a CPU.
func Example() {
	tree := sampled()
	fmt.Print(tree)
	find := tree.Root.Children[0]
	fmt.Println(find.Self(), "of", find.Total, "in Find itself,", find.Waiting(), "waiting")
	// Output:
	// 100% (60% cpu) main.serve
	//   65% (35% cpu) store.Find
	//     30% (0% cpu) sync.(*Mutex).Lock
	//   35% (25% cpu) json.Marshal
	//
	// 100 samples in 1.000 s, 100 of 100 per second, up to 4 goroutines
	// 350ms of 650ms in Find itself, 300ms waiting
}

// Shares of the caller, without what is small.
func ExampleText() {
	callgraph.Text{Tree: sampled(), OfParent: true, MinShare: 0.4, FullNames: true}.WriteTo(os.Stdout)
	// Output:
	// 100% (60% cpu) main.serve
	//   65% (35% cpu) example.com/shop/store.Find
	//
	// 100 samples in 1.000 s, 100 of 100 per second, up to 4 goroutines
	// 2 nodes left out
}

// Statistics with Options.Paths have an exact tree. A program that waymark has built gets the snapshot
// from a stats.Gathering.
func ExampleOfStatistics() {
	serve, find := &stats.Func{Name: "main.serve"}, &stats.Func{Name: "example.com/shop/store.Find"}
	snap := &stats.Snapshot{Paths: []stats.Path{
		{Func: serve, Parent: -1, Calls: 1, Total: 10 * time.Millisecond, Self: 4 * time.Millisecond},
		{Func: find, Parent: 0, Calls: 20, Total: 6 * time.Millisecond, Self: 6 * time.Millisecond},
	}}
	fmt.Print(callgraph.OfStatistics(snap))
	// Output:
	// 100% (1 call) main.serve
	//   60% (20 calls) store.Find
}

// Folded stacks are what flamegraph.pl and speedscope read.
func ExampleTree_WriteFolded() {
	sampled().WriteFolded(os.Stdout)
	// Output:
	// main.serve;example.com/shop/store.Find 350000000
	// main.serve;example.com/shop/store.Find;sync.(*Mutex).Lock 300000000
	// main.serve;encoding/json.Marshal 350000000
}
