//go:build linux && amd64

package host

import (
	"slices"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/internal/program/recorder"
)

// Requests mask more than usual, and never less.
func TestShow(t *testing.T) {
	usual := usualShow()
	for _, tt := range []struct {
		settings string
		words    []string // beside the usual ones
		limits   capture.Limits
		fails    bool
	}{
		{settings: "", limits: usual.limits},
		{settings: `,redact=iban\,PIN,redact-type=Card\,m.Key`, words: []string{"iban", "pin", "type:Card", "type:m.Key"}, limits: usual.limits},
		{settings: `redact=none`, limits: usual.limits},
		{settings: `redact=iban\,none\,pin`, words: []string{"pin"}, limits: usual.limits},
		{settings: `arg-depth=5,arg-bytes=0`, limits: capture.Limits{Bytes: 0, Depth: 5}},
		{settings: `arg-depth=11`, fails: true},
		{settings: `arg-bytes=-1`, fails: true},
		{settings: `color=blue`, fails: true},
	} {
		recorded, err := settings(new(recorder.Config), tt.settings)
		watched, err2 := showOf(tt.settings)
		if tt.fails {
			if err == nil || err2 == nil {
				t.Errorf("%s: errors %v and %v, want two", tt.settings, err, err2)
			}
			continue
		}
		want := append(slices.Clone(usual.words), tt.words...)
		for _, got := range []show{recorded.show, watched} {
			if err != nil || err2 != nil || got.limits != tt.limits || !slices.Equal(got.words, want) {
				t.Errorf("%s: %+v, errors %v and %v; want %+v and words %q", tt.settings, got, err, err2, tt.limits, want)
			}
		}
	}
	if _, err := showOf("max-size=1GB"); err == nil {
		t.Error("a watch with a recording's size: no error, want one")
	}
}
