package waymark_test

import (
	"fmt"
	"os"

	"github.com/waymark-go/waymark"
)

// IO is for what reads and writes.
var IO = waymark.NewGroup("IO")

// read is in the group.
//
//waymark:group IO
func read() int { return 7 }

// Built by waymark this prints the call of read. Built by plain go build it prints the result only.
func Example() {
	a, err := waymark.Attach(IO, waymark.Print(os.Stderr))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	fmt.Println(read())
	// Output: 7
}

// An observer that counts panics, by function.
func ExampleAttach() {
	panics := make(chan string, 100)
	a, err := waymark.Attach(IO, waymark.ObserverFunc(func(e *waymark.Event) {
		if e.Kind == waymark.Panic {
			select {
			case panics <- e.Func.Name:
			default:
			}
		}
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	read()
	a.Close()
	fmt.Println(len(panics), "panics")
	// Output: 0 panics
}

// Patterns select functions as the command's flag --include does.
func ExamplePattern() {
	handlers := waymark.Pattern("example.com/app/http.Handler.*", "@IO")
	a, err := waymark.Attach(handlers, waymark.Print(os.Stderr))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	_, err = waymark.Attach(waymark.Pattern("/(/"), waymark.Print(os.Stderr))
	fmt.Println(err != nil)
	// Output: true
}

// A program that allows to print one group and nothing else, and shows no values.
func ExampleGuard() {
	public := waymark.NewGroup("Public")
	policy := waymark.Policy{Groups: []*waymark.Group{public}, Kinds: []waymark.ObserverKind{waymark.KindPrint}, NoArguments: true}
	if len(os.Args) > 1000 { // policies hold for as long as the program runs
		waymark.Guard(policy)
	}
	fmt.Println(policy.Kinds, policy.Groups)
	// Output: [Print] [Public]
}
