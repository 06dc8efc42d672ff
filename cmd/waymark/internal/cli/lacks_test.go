package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Every command that reads says what the recording lacks: under a table, on stderr where there is
// none, as members of JSON.
func TestLacks(t *testing.T) {
	events, err := calltreetest.Events("A10 B20 +1000 b20 c90 a10")
	if err != nil {
		t.Fatal(err)
	}
	recording := calltreetest.Recording{
		Events: events, End: 2000, Lost: 12345, Flags: format.Full,
		Tables: []calltreetest.Table{{Package: "main", Sites: []format.Site{{Name: "main.main"}, {Name: "main.f"}, {Name: "main.g"}}}},
	}
	file := filepath.Join(t.TempDir(), "lossy.wmt")
	if err := os.WriteFile(file, recording.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	said := []string{
		"12,345 events lost", "lossy.wmt: recording stopped when the file had the size of --max-size; what the program did after 2.000 us is not in it",
		"1 call without a recorded beginning, left out",
	}
	for _, tt := range []struct {
		args   string
		stdout []string
		stderr []string
		at     func(v any) any // the object in JSON that says it
	}{
		{"report", said, nil, nil},
		{"tree", said, nil, nil},
		{"report --format csv", nil, said, nil},
		{"tree --format csv", nil, said, nil},
		{"replay", nil, said, nil},
		{"replay --root main.f", nil, said, nil},
		{"info", []string{"Lost        12,345", "State       recording stopped when the file had the size"}, nil, nil},
		{"report --format json", nil, nil, func(v any) any { return v }},
		{"tree --format json", nil, nil, func(v any) any { return v.([]any)[0] }},
		{"tree --format rows", nil, nil, func(v any) any { return v }},
		{"info --format json", nil, nil, func(v any) any { return v }},
	} {
		var stdout, stderr bytes.Buffer
		if status := Main(append(strings.Fields(tt.args), file), nil, nil, &stdout, &stderr); status != 0 {
			t.Errorf("%s: status %d", tt.args, status)
		}
		for _, want := range tt.stdout {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s prints\n%s, want it to say %q", tt.args, &stdout, want)
			}
		}
		for _, want := range tt.stderr {
			if !strings.Contains(stderr.String(), "waymark: "+want) {
				t.Errorf("%s prints %q on stderr, want it to say %q", tt.args, &stderr, want)
			}
		}
		if len(tt.stderr) == 0 && stderr.Len() > 0 {
			t.Errorf("%s prints %q on stderr", tt.args, &stderr)
		}
		if tt.at == nil {
			continue
		}
		var v any
		if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
			t.Errorf("%s: %v", tt.args, err)
			continue
		}
		object := tt.at(v).(map[string]any)
		if object["dropped"] != 12345.0 || object["complete"] != false || object["stopped"] != "max-size" {
			t.Errorf("%s: dropped %v, complete %v, stopped %v", tt.args, object["dropped"], object["complete"], object["stopped"])
		}
	}
}
