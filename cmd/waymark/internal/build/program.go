package build

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
)

// keptPart: a program may take an eighth of the cache.
const keptPart = 8

// Link has link run the go command, which writes the build's only program to path. The program of the last build
// with the same options lies there already. The go command leaves it as it is if it would be the same
// one, as go run does: linking is two fifths of what a small program that hasn't changed waits for.
func (b *Build) Link(path string, link func() error) error {
	name := "program-" + cache.Hash([]byte(b.asked), []byte(b.Main[0].ImportPath))
	var old []byte
	ok := false
	if !b.linksAnew() {
		old, ok = b.cache.Get(name)
	}
	if ok && os.WriteFile(path, old, 0o755) != nil {
		os.Remove(path) // the go command will say what is wrong
	}
	if err := link(); err != nil {
		return err
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() > b.cache.Limit/keptPart {
		return nil
	}
	if now, err := os.ReadFile(path); err == nil && !bytes.Equal(now, old) {
		b.cache.Set(name, now) // nothing but time is lost if it can't be kept
	}
	return nil
}

// linksAnew reports whether the go command can't know that a program has not changed: the libraries of C
// that it links may have. With -n it builds none.
func (b *Build) linksAnew() bool {
	for _, p := range b.packages {
		if !p.Standard && len(p.CgoFiles) > 0 {
			return true
		}
	}
	_, shows := append(b.Env.Settings(), b.Flags...).Lookup("n")
	return shows
}

// text returns the options as text, but for the folder: programs of folders that are gone would stay in
// the cache.
func (o Options) text() string {
	o.Dir = ""
	all, err := json.Marshal(o)
	if err != nil {
		panic(err) // there is nothing in them that can't be JSON
	}
	return string(all)
}
