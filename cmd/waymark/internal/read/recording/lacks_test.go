package recording

import (
	"os"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

func TestCompleteness(t *testing.T) {
	for _, tt := range []struct {
		info tracefile.Info
		want string
	}{
		{tracefile.Info{Complete: true}, ""},
		{tracefile.Info{Stopped: tracefile.StoppedFull, Duration: 1500},
			"recording stopped when the file had the size of --max-size; what the program did after 1.500 us is not in it"},
		{tracefile.Info{Stopped: tracefile.StoppedFailed, Live: true, Recovered: 5},
			"recording stopped when the file could not be written; what the program did after 0 ns is not in it"},
		{tracefile.Info{Live: true, Recovered: 5}, "still being recorded"},
		{tracefile.Info{Recovered: 5000}, "the program was killed or crashed; 5,000 events recovered from its buffers"},
		{tracefile.Info{Damaged: 7}, "the end is missing: the file was cut or damaged, or the program was killed"},
		{tracefile.Info{}, "the program was killed or crashed; its last events may be missing"},
		{tracefile.Info{RecoveryErr: os.ErrNotExist}, "the program was killed or crashed, and its last events are missing: file does not exist"},
	} {
		if got := Completeness(tt.info); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.info, got, tt.want)
		}
	}
}
