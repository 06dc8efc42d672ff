//go:build linux && amd64

package stopped

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Running returns the threads that use a CPU, or wait for one: the kernel's ids, by those that they
// have for the process.
func (p *Process) Running() map[int]int {
	list := make(map[int]int)
	nested := len(innerIDs(p.file("status"))) > 1
	for _, id := range p.ids() {
		if p.state(id) != 'R' {
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

// state returns the kernel's letter for what a thread does; 0: it has ended.
func (p *Process) state(id int) byte {
	b, _ := os.ReadFile(p.file(fmt.Sprintf("task/%d/stat", id)))
	_, rest, _ := bytes.Cut(b[max(bytes.LastIndexByte(b, ')'), 0):], []byte(" "))
	if len(rest) == 0 || rest[0] == 'Z' || rest[0] == 'X' {
		return 0
	}
	return rest[0]
}

// Glance stops one thread for as long as look takes, and returns how long that was. Others go on. A
// thread that has ended, or doesn't stop in time, isn't looked at. Late must be called now and
// then, for the latter to go on.
func (p *Process) Glance(id int, look func(*Thread)) (stopped time.Duration, err error) {
	if p.late[id] {
		return 0, nil
	}
	found, err := p.seize(id)
	if err != nil || !found {
		return 0, err
	}
	t, _ := p.wait(id)
	if t == nil {
		return 0, nil
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
