//go:build linux && amd64

package host

import (
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/program/control"
)

// Programs that waymark has not built don't tell of firings.
func TestProbes(t *testing.T) {
	_, _, err := new(host).Watch(nil, control.Watch{Kind: control.KindCalls, Probes: []string{"P:done"}})
	if err == nil || !strings.Contains(err.Error(), "waymark build") {
		t.Errorf("%v, want an error that names waymark build", err)
	}
}
