//go:build linux && amd64

package stopped

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
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

// Glance stops one thread for as long as look takes. Others go on. A thread that has ended isn't looked at.
func (p *Process) Glance(id int, look func(*Thread)) error {
	if p.Late() {
		return nil
	}
	found, err := p.seize(id)
	if err != nil || !found {
		return err
	}
	t, err := p.wait(id)
	if t == nil {
		return err
	}
	defer p.release(t)
	look(t)
	return nil
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
