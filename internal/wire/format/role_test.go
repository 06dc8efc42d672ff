package format_test

import (
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Flags of roles are in a table without making it larger, and groups of the same name come first.
func TestRoles(t *testing.T) {
	sites := []format.Site{{Name: "m.F", File: "f.go", Line: 1}}
	plain := len(format.AppendTable(nil, "m", sites))
	var all []string
	for _, r := range format.Roles {
		all = append(all, r.Name)
		sites[0].Flags |= r.Flag
		if format.FindRole(r.Name).Flag != r.Flag {
			t.Errorf("FindRole(%q) finds another role", r.Name)
		}
	}
	sites[0].Flags |= format.Closure
	table := format.AppendTable(nil, "m", sites)
	if len(table) != plain {
		t.Errorf("a table with roles has %d bytes, want %d", len(table), plain)
	}
	_, read, err := format.ParseTable(table)
	if err != nil || !slices.Equal(read[0].Flags.Roles(), all) || format.FindRole("IO") != nil {
		t.Errorf("read: %v, %v", read, err)
	}
	var g format.GroupIndex
	g.Add([]format.Group{{Name: "grpc"}, {Name: "IO"}})
	if got := g.Roles([]string{"http", "grpc"}); !slices.Equal(got, []string{"http"}) {
		t.Errorf("beside a group grpc the roles are %q", got)
	}
}
