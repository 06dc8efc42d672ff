// App makes calls that end in all ways, on goroutines that start others, with values that formats must
// escape.
package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

var all sync.WaitGroup

func main() {
	length := 0
	for i := range 2000 {
		length += text("<a href=\"&'\"\x00\x7f\xff\u2028世>", i)
	}
	caught()
	all.Go(first)
	all.Wait()
	if err := fails(); err != nil {
		fmt.Println(length, err)
	}
}

func text(s string, n int) int { return len(s) + n }

func caught() {
	defer func() { _ = recover() }()
	middle()
}

func middle() { throws() }

func throws() { panic("thrown: \"\x01\"") }

func first() { all.Go(second) }

func second() { all.Go(third) }

func third() {
	defer text("exits", 1)
	exits()
}

func exits() { runtime.Goexit() }

func fails() error { return errors.New("no") }
