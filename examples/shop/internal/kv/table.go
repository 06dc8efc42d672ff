package kv

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Table keeps values of one type in a [Store], as JSON under keys with a
// common prefix.
type Table[V any] struct {
	store  *Store
	prefix string
}

// NewTable returns the table called name in s.
func NewTable[V any](s *Store, name string) *Table[V] {
	return &Table[V]{store: s, prefix: name + "/"}
}

// Get returns the value with the given id, or [ErrNotFound].
func (t *Table[V]) Get(id string) (v V, err error) {
	b, err := t.store.Get(t.prefix + id)
	if err != nil {
		return v, err
	}
	return t.decode(id, b)
}

// Put sets the value with the given id.
func (t *Table[V]) Put(id string, v V) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("kv: encoding %s%s: %w", t.prefix, id, err)
	}
	return t.store.Put(t.prefix+id, b)
}

// Each calls fn with each id and value, in order of id, until it fails.
func (t *Table[V]) Each(fn func(id string, v V) error) error {
	return t.store.Scan(t.prefix, func(key string, b []byte) error {
		id := strings.TrimPrefix(key, t.prefix)
		v, err := t.decode(id, b)
		if err != nil {
			return err
		}
		return fn(id, v)
	})
}

func (t *Table[V]) decode(id string, b []byte) (v V, err error) {
	if err := json.Unmarshal(b, &v); err != nil {
		return v, fmt.Errorf("kv: decoding %s%s: %w", t.prefix, id, err)
	}
	return v, nil
}
