package agent

import (
	"errors"
	"testing"

	"github.com/waymark-go/waymark/internal/program/control"
)

// What values show is fixed when a program is built: nobody is to believe that more is masked.
func TestWatchValues(t *testing.T) {
	_, _, err := new(live).Watch([]string{"m.F"}, control.Watch{Kind: control.KindCalls, Values: "redact=iban"})
	if refused := (*control.Error)(nil); !errors.As(err, &refused) || refused.Code != control.CodeRequest {
		t.Errorf("a watch that has more masked: error %v, want one with code %s", err, control.CodeRequest)
	}
}
