package build

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
)

// mostKept is the part of the cache that one program may take.
const mostKept = 8

// Link has link run the go command, which writes the program to path. The program of the last build
// with the same options lies there already. The go command leaves it as it is if it would be the same
// one, as go run does: linking is two fifths of what a small program that hasn't changed waits for.
func (b *Build) Link(path string, link func() error) error {
	old, ok := b.cache.Get(b.program)
	if ok && os.WriteFile(path, old, 0o755) != nil {
		os.Remove(path) // the go command will say what is wrong
	}
	if err := link(); err != nil {
		return err
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() > b.cache.Limit/mostKept {
		return nil
	}
	if now, err := os.ReadFile(path); err == nil && !bytes.Equal(now, old) {
		b.cache.Set(b.program, now) // nothing but time is lost if it can't be kept
	}
	return nil
}

// program returns the name that the cache has the program under.
func (o *Options) program() string {
	all, err := json.Marshal(o)
	if err != nil {
		panic(err) // there is nothing in them that can't be JSON
	}
	return "program-" + cache.Hash(all)
}
