// Package runtime, as waymark adds to it: values within runtime/secret.Do.
//
// Do promises that nothing stays of what it works with. So calls that a goroutine makes there are recorded and
// told without values, and panics too. No fast path writes for a goroutine while its wmG.id is 0, as it is there;
// the others ask hides.

package runtime

import "internal/goexperiment"

// hides reports whether gp is in runtime/secret.Do.
//
//go:nosplit
func (gp *g) hides() bool { return goexperiment.RuntimeSecret && gp.secret > 0 }
