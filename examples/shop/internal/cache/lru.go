// Package cache provides a bounded in-memory cache with least-recently-used
// eviction.
package cache

import "sync"

// An LRU holds up to a fixed number of entries and evicts the one unused for
// longest to make room for a new one. It is safe for concurrent use.
type LRU[K comparable, V any] struct {
	capacity int

	mu      sync.Mutex
	entries map[K]*node[K, V]
	root    node[K, V] // sentinel of a ring: root.next is the newest entry
}

type node[K comparable, V any] struct {
	key        K
	value      V
	prev, next *node[K, V]
}

func (n *node[K, V]) unlink() {
	n.prev.next, n.next.prev = n.next, n.prev
}

func (n *node[K, V]) linkAfter(at *node[K, V]) {
	n.prev, n.next = at, at.next
	n.prev.next, n.next.prev = n, n
}

// New returns an empty cache for capacity entries, which must be positive.
func New[K comparable, V any](capacity int) *LRU[K, V] {
	c := &LRU[K, V]{capacity: capacity, entries: make(map[K]*node[K, V])}
	c.root.prev, c.root.next = &c.root, &c.root
	return c
}

// Get returns the value cached for key and marks it as just used.
func (c *LRU[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.entries[key]
	if !ok {
		return value, false
	}
	n.unlink()
	n.linkAfter(&c.root)
	return n.value, true
}

// Add caches value for key, in place of any earlier value.
func (c *LRU[K, V]) Add(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
	if len(c.entries) >= c.capacity {
		c.remove(c.root.prev.key)
	}
	n := &node[K, V]{key: key, value: value}
	n.linkAfter(&c.root)
	c.entries[key] = n
}

// GetOrLoad returns the value cached for key. If there is none it calls load
// and caches the result unless load fails. Concurrent callers may load the
// same key more than once.
func (c *LRU[K, V]) GetOrLoad(key K, load func() (V, error)) (V, error) {
	if v, ok := c.Get(key); ok {
		return v, nil
	}
	v, err := load()
	if err == nil {
		c.Add(key, v)
	}
	return v, err
}

// Remove drops key from the cache.
func (c *LRU[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
}

// Len returns the number of entries.
func (c *LRU[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

func (c *LRU[K, V]) remove(key K) {
	if n, ok := c.entries[key]; ok {
		n.unlink()
		delete(c.entries, key)
	}
}
