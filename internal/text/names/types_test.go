package names

import "testing"

func TestShortType(t *testing.T) {
	s := NewSet()
	list := []struct{ name, want string }{
		{"example.com/m/store.Row", "store.Row"},
		{"*example.com/m/a/cache.Entry", "*a/cache.Entry"},
		{"[][4]*example.com/m/b/cache.Entry", "[][4]*b/cache.Entry"},
		{"[]string", "[]string"},
		{"example.com/m/store.Pair[example.com/m/store.Row]", "store.Pair[example.com/m/store.Row]"},
		{"map[string]example.com/m/store.Row", "map[string]example.com/m/store.Row"},
		{"struct { F uintptr; X0 *store.Row }", "struct { F uintptr; X0 *store.Row }"},
		{"func(io.Reader) error", "func(io.Reader) error"},
		{"8 bytes in an interface", "8 bytes in an interface"},
	}
	for _, test := range list {
		s.AddType(test.name)
	}
	for _, test := range list {
		if got := s.ShortType(test.name); got != test.want {
			t.Errorf("%s is %s for short, want %s", test.name, got, test.want)
		}
	}
	if got := (*Set)(nil).ShortType("*example.com/m/store.Row"); got != "*example.com/m/store.Row" {
		t.Errorf("without shortening: %s", got)
	}
}
