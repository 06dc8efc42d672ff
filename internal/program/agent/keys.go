package agent

import (
	"slices"

	"github.com/waymark-go/waymark/internal/program/recorder"
)

// Keys returns the keys of the variable WAYMARK, for the test of the reference that lists them.
func Keys() []string { return append(slices.Clone(keys), recorder.Keys...) }
