//go:build go1.23

package sampler

import "iter"

//go:noinline
func stateCoroutine(block chan struct{}) {
	next, stop := iter.Pull(func(yield func(int) bool) { inCoroutine(block) })
	defer stop()
	next()
}

//go:noinline
func inCoroutine(block chan struct{}) { <-block }
