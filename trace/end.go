package trace

import (
	"fmt"
	"os"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
)

// stop ends gathering, once. It reports whether it was this call that did.
func (c *Collector) stop() bool {
	c.mu.Lock()
	first := c.state == gathers
	if first {
		c.state = stops
	}
	source := c.source
	c.mu.Unlock()
	if !first {
		return false
	}
	c.over.Ring()
	open := source.Active()
	source.Stop()
	c.mu.Lock()
	c.open = open
	c.mu.Unlock()
	if c.options.Period > 0 {
		c.turn()
	}
	c.await()
	if c.options.File != "" {
		if err := save(c.options.File, c.Traces()); err != nil {
			c.mu.Lock()
			c.saved = fmt.Errorf("save traces: %w", err)
			c.mu.Unlock()
		}
	}
	if c.options.AtEnd != nil {
		c.last()
	}
	c.mu.Lock()
	c.state = stopped
	c.mu.Unlock()
	c.remove()
	return true
}

// last calls AtEnd.
func (c *Collector) last() {
	defer func() {
		if v := recover(); v != nil {
			console.Say("traces of %s: AtEnd panicked: %v", c.roots, v)
		}
	}()
	c.options.AtEnd(c)
}

// end ends gathering when the program ends, or waits while Stop does.
func (c *Collector) end() {
	if !c.stop() {
		for waited := time.Duration(0); waited < callPatience; waited += callLook {
			c.mu.Lock()
			over := c.state == stopped
			c.mu.Unlock()
			if over {
				return
			}
			time.Sleep(callLook)
		}
		return
	}
	c.mu.Lock()
	err := c.saved
	c.mu.Unlock()
	if err != nil {
		console.Say("%v", err)
	}
}

// save writes traces to a file. There is no file, or the old one, until it is whole. A device or a pipe is
// written to as it is.
func save(path string, list []*Trace) error {
	part, flags := path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		part, flags = path, os.O_WRONLY
	} else {
		os.Remove(part) // what a killed program left
	}
	f, err := os.OpenFile(part, flags, 0o600) // as recordings
	if err != nil {
		return err
	}
	err = WriteXML(f, list)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if part == path {
		return err
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}
