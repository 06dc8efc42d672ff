// Transfer moves money between two accounts, from both sides at once.
package main

import (
	"fmt"
	"sync"
	"time"
)

type account struct {
	sync.Mutex
	name    string
	balance int
}

func main() {
	a, b := &account{name: "a", balance: 1000}, &account{name: "b", balance: 1000}
	back := make(chan bool)
	go func() {
		run(b, a)
		close(back)
	}()
	run(a, b)
	<-back
	fmt.Println(a.balance, b.balance)
}

func run(from, to *account) {
	for amount := range 1_000 {
		transfer(from, to, amount%10)
	}
}

func transfer(from, to *account, amount int) {
	from.Lock()
	defer from.Unlock()
	time.Sleep(time.Millisecond) // a bank takes its time
	to.Lock()
	defer to.Unlock()
	from.balance -= amount
	to.balance += amount
}
