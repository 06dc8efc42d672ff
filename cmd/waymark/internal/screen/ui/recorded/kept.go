package recorded

import (
	"bytes"
	"encoding/gob"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/levels"
	"github.com/waymark-go/waymark/tracefile"
)

// A Cache keeps what takes a reading of all events. Package cache has one.
type Cache interface {
	Get(name string) ([]byte, bool)
	SetPrivate(name string, content []byte) error
}

// layout changes with the types that are kept, and with how they are made.
const layout = "2"

// kept returns what make makes of a set, which the cache has from an earlier time, or keeps. A cache
// that can't be read or written costs time and nothing else. A recording that is still being written is
// not kept, and neither is one that has damage: what is wrong is told anew.
func kept[T any](c Cache, what string, set *tracefile.Set, make func() (*T, error)) (*T, error) {
	name := ""
	if c != nil {
		name = nameOf(what, set)
	}
	if name == "" {
		return make()
	}
	if content, ok := c.Get(name); ok {
		value := new(T)
		if gob.NewDecoder(bytes.NewReader(content)).Decode(value) == nil {
			return value, nil
		}
	}
	value, err := make()
	if err != nil || damaged(set) {
		return value, err
	}
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(value) == nil {
		c.SetPrivate(name, b.Bytes())
	}
	return value, nil
}

// nameOf returns the name of what is made of a set, "" if its files may still change.
func nameOf(what string, set *tracefile.Set) string {
	parts := [][]byte{[]byte(layout), []byte(what)}
	for _, file := range set.Processes {
		id, err := levels.Identity(file)
		if err != nil || id == "" {
			return ""
		}
		parts = append(parts, []byte(file.Path()), []byte(id))
	}
	return cache.Hash(parts...) + "." + what
}

func damaged(set *tracefile.Set) bool {
	for _, file := range set.Processes {
		if info := file.Info(); info.Damaged > 0 {
			return true
		}
	}
	return false
}
