//go:build unix

package trace

import (
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/pipe"
)

func TestSaveToPipe(t *testing.T) {
	if text := pipe.Written(t, func(path string) error { return save(path, nil) }); !strings.Contains(text, "<trace-file") {
		t.Errorf("got %q", text)
	}
}
