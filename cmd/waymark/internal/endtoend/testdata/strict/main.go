// Strict calls a tiny function so often that even counting its calls costs too much. It prints how often it has called
// which function.
package main

import (
	"encoding/json"
	"os"
	"time"
)

var sum, sums, leaves uint64

//go:noinline
func leaf(n uint64) { sum += n ^ sum>>3 }

//go:noinline
func add() {
	sums++
	for i := uint64(0); i < 2000; i++ {
		leaf(i)
	}
	leaves += 2000
}

func main() {
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		add()
	}
	json.NewEncoder(os.Stdout).Encode(map[string]uint64{"main.main": 1, "main.add": sums, "main.leaf": leaves})
}
