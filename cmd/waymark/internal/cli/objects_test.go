package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
)

// Who asks for types of objects is told why a recording has none.
func TestMissingTypes(t *testing.T) {
	events, err := calltreetest.Events("A10 *1,16 a10")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		recording calltreetest.Recording
		says      string
	}{
		{calltreetest.Recording{Events: events, Objects: true}, "has no types of objects: recording ended before they were written"},
		{calltreetest.Recording{Events: events}, "has no objects: record with --objects"},
		{calltreetest.Recording{Events: events, Objects: true, End: 100}, ""}, // it made none
	} {
		file := filepath.Join(t.TempDir(), "a.wmt")
		if err := os.WriteFile(file, tt.recording.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, flag := range []string{"--by type", "--sort objects"} {
			var stdout, stderr bytes.Buffer
			Main(append(strings.Fields("report "+flag), file), nil, nil, &stdout, &stderr)
			if says := stderr.String(); !strings.Contains(says, tt.says) || strings.Contains(says, flag) != (tt.says != "") {
				t.Errorf("%s of %+v says %q, want %q", flag, tt.recording, says, tt.says)
			}
		}
	}
}
