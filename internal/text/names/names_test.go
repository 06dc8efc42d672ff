package names

import "testing"

func TestShort(t *testing.T) {
	s := NewSet()
	for _, name := range []string{
		"main.main",
		"example.com/shop/internal/cache.(*LRU[...]).Get",
		"example.com/shop/a/store.Open",
		"example.com/shop/b/store.Open",
		"store.Close",
		"example.com/x/main.F",
		"example.com/m/v2.Open",
		"gopkg.in/yaml%2ev3.Unmarshal",
		"fmt.Println",
	} {
		s.Add(name)
	}
	for name, want := range map[string]string{
		"main.main": "main.main",
		"example.com/shop/internal/cache.(*LRU[...]).Get":   "cache.(*LRU[...]).Get",
		"example.com/shop/internal/cache.Do[go.shape.a/b.]": "cache.Do[go.shape.a/b.]",
		"example.com/shop/a/store.Open":                     "a/store.Open",
		"example.com/shop/b/store.Open.func1":               "b/store.Open.func1",
		"store.Close":                                       "store.Close", // there is no more of it
		"example.com/x/main.F":                              "x/main.F",
		"example.com/m/v2.Open":                             "m/v2.Open",
		"gopkg.in/yaml%2ev3.Unmarshal":                      "yaml.v3.Unmarshal",
		"fmt.Println":                                       "fmt.Println",
		"net/http.(*Server).Serve":                          "http.(*Server).Serve", // not in the set
		"example.com/other/cache.F":                         "other/cache.F",        // not in the set
		"example.com/a%20b/100%25%2ex%.F":                   "100%.x%.F",
		"example.com/m/d%c3%a9p%25.F":                       "dép%.F",
		"unknown function 7":                                "unknown function 7",
	} {
		if got := s.Short(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	var full *Set
	full.Add("example.com/m/p.F")
	if got := full.Short("example.com/m/p.F"); got != "example.com/m/p.F" {
		t.Errorf("in full it is %s", got)
	}
}

func TestSplit(t *testing.T) {
	for name, want := range map[string][2]string{
		"main.f":                       {"main", "f"},
		"main.(*T[...]).m":             {"main", "(*T[...]).m"},
		"example.com/m/p.(*T).M.func1": {"example.com/m/p", "(*T).M.func1"},
		"gopkg.in/yaml%2ev3.unmarshal": {"gopkg.in/yaml%2ev3", "unmarshal"},
		"p.F[example.com/q.T]":         {"p", "F[example.com/q.T]"},
		"unknown function":             {"", "unknown function"},
	} {
		if path, function := Split(name); [2]string{path, function} != want {
			t.Errorf("%s is %q of package %q, want %q of %q", name, function, path, want[1], want[0])
		}
	}
}
