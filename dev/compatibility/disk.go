package main

import (
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// diskPeriod is how often a diskMeter looks. Recordings grow by some 100 MB per second.
const diskPeriod = 20 * time.Millisecond

// A diskMeter finds out how much of the disk folders take at most.
type diskMeter struct {
	stop chan bool
	done sync.WaitGroup
	most int64 // bytes
}

// startDiskMeter watches what matches a pattern, until the meter is stopped.
func startDiskMeter(pattern string) *diskMeter {
	m := &diskMeter{stop: make(chan bool)}
	m.done.Go(func() {
		for {
			m.most = max(m.most, allocated(pattern))
			select {
			case <-m.stop:
				return
			case <-time.After(diskPeriod):
			}
		}
	})
	return m
}

// end stops the meter and returns the most bytes that it saw.
func (m *diskMeter) end() int64 {
	close(m.stop)
	m.done.Wait()
	return m.most
}

// allocated returns the bytes of the disk that the files below the folders take that match a
// pattern. Holes take none, and a file that is longer than its data counts as its data.
func allocated(pattern string) (n int64) {
	dirs, _ := filepath.Glob(pattern)
	for _, dir := range dirs {
		// What is removed meanwhile takes nothing.
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if i, err := d.Info(); err == nil {
				if s, ok := i.Sys().(*syscall.Stat_t); ok {
					n += s.Blocks * 512
				}
			}
			return nil
		})
	}
	return n
}
