//go:build linux && amd64

package stopped

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Running returns the threads that use a CPU, or wait for one: the kernel's ids, by those that they have for the process.
func (p *Process) Running() map[int]int {
	list := make(map[int]int)
	nested := len(innerIDs(p.file("status"))) > 1
	for _, id := range p.ids() {
		b, _ := os.ReadFile(p.file(fmt.Sprintf("task/%d/stat", id)))
		if _, rest, _ := bytes.Cut(b[max(bytes.LastIndexByte(b, ')'), 0):], []byte(" ")); len(rest) == 0 || rest[0] != 'R' {
			continue
		}
		inner := id
		if nested {
			inner = p.innerID(id)
		}
		list[inner] = id
	}
	return list
}

// Glance stops one thread for as long as look takes, and returns how long that was. Others go on. A thread that has ended
// isn't looked at.
func (p *Process) Glance(id int, look func(*Thread)) (stopped time.Duration, err error) {
	if p.Late() {
		return 0, nil
	}
	found, err := p.seize(id)
	if err != nil || !found {
		return 0, err
	}
	t, err := p.wait(id)
	if t == nil {
		return 0, err
	}
	began := time.Now() // before, it was about to stop: it may have waited for a CPU
	look(t)
	p.release(t)
	return time.Since(began), nil
}

// innerID returns the id that a thread has for the process; 0: it has ended.
func (p *Process) innerID(id int) int {
	list := innerIDs(p.file(fmt.Sprintf("task/%d/status", id)))
	if len(list) == 0 {
		return 0
	}
	inner, _ := strconv.Atoi(list[len(list)-1])
	return inner
}
