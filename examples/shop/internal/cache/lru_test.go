package cache

import (
	"errors"
	"slices"
	"sync"
	"testing"
)

func TestEviction(t *testing.T) {
	tests := []struct {
		name string
		do   func(*LRU[string, int])
		want []string
	}{
		{"full", func(c *LRU[string, int]) {}, []string{"a", "b", "c"}},
		{"oldest goes first", func(c *LRU[string, int]) { c.Add("d", 4) }, []string{"b", "c", "d"}},
		{"get refreshes", func(c *LRU[string, int]) { c.Get("a"); c.Add("d", 4) }, []string{"a", "c", "d"}},
		{"add refreshes", func(c *LRU[string, int]) { c.Add("a", 5); c.Add("d", 4) }, []string{"a", "c", "d"}},
		{"remove makes room", func(c *LRU[string, int]) { c.Remove("b"); c.Add("d", 4) }, []string{"a", "c", "d"}},
		{"remove twice", func(c *LRU[string, int]) { c.Remove("b"); c.Remove("b") }, []string{"a", "c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New[string, int](3)
			for i, k := range []string{"a", "b", "c"} {
				c.Add(k, i)
			}
			tt.do(c)
			var got []string
			for _, k := range []string{"a", "b", "c", "d"} {
				if _, ok := c.Get(k); ok {
					got = append(got, k)
				}
			}
			if !slices.Equal(got, tt.want) || c.Len() != len(tt.want) {
				t.Errorf("cached = %q, Len %d, want %q", got, c.Len(), tt.want)
			}
		})
	}
}

func TestGetOrLoad(t *testing.T) {
	c := New[string, int](4)
	loads := 0
	for range 3 {
		v, err := c.GetOrLoad("k", func() (int, error) { loads++; return 42, nil })
		if v != 42 || err != nil {
			t.Fatalf("GetOrLoad = %d, %v", v, err)
		}
	}
	if loads != 1 {
		t.Errorf("loaded %d times, want once", loads)
	}

	fail := errors.New("no such thing")
	if _, err := c.GetOrLoad("bad", func() (int, error) { return 0, fail }); !errors.Is(err, fail) {
		t.Errorf("error = %v, want %v", err, fail)
	}
	if _, ok := c.Get("bad"); ok {
		t.Error("a failed load was cached")
	}
}

func TestConcurrentUse(t *testing.T) {
	c := New[int, int](16)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				k := (i * (g + 1)) % 40
				v, err := c.GetOrLoad(k, func() (int, error) { return k * k, nil })
				if v != k*k || err != nil {
					t.Errorf("GetOrLoad(%d) = %d, %v", k, v, err)
				}
			}
		})
	}
	wg.Wait()
	if c.Len() > 16 {
		t.Errorf("Len = %d, over capacity", c.Len())
	}
}
