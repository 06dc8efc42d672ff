// Formats formats sources of the standard library, as often as it is told to: the same lines are
// reached each time. The protocol is that of testdata/work.
package main

import (
	"bufio"
	"fmt"
	"go/format"
	"os"
)

func main() {
	var sources [][]byte
	for _, path := range os.Args[1:] {
		source, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		sources = append(sources, source)
	}
	in := bufio.NewScanner(os.Stdin)
	fmt.Println("ready", os.Getpid())
	for in.Scan() {
		var command string
		var rounds int
		fmt.Sscan(in.Text(), &command, &rounds)
		if command == "end" {
			return
		}
		for range rounds {
			for _, source := range sources {
				if _, err := format.Source(source); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		}
		fmt.Println("done")
	}
}
