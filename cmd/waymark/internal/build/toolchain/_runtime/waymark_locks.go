// Package runtime, as waymark adds to it: the order of locks.
//
// A goroutine that holds a lock takes only locks further down:
//
//	wmTypes.lock       descriptions of types; taken first
//	wm.lock            the arena: who has which chunk. Goroutines park under wm.lock, as under a channel's
//	wmPackages.lock    leaf: registered packages
//	wmTables.lock      leaf: the list of tables of cells
//	wmStacks.lock      leaf: stacks that no goroutine uses
//	wmPauses.lock      leaf: goroutines that pause. They park under it, as under wm.lock
//	wmTraces.lock      leaf: traces, and their memory. A goroutine parks under it, as under wm.lock
//	wmPaths.lock       leaf: paths, and the list of tables of their cells
//	wmObjects.lock     leaf: the list of tables of objects
//
// The runtime's own locks that are taken below these are those of persistentalloc, and of the
// scheduler where a goroutine parks or is woken.

package runtime

// wmRankLocks sets the ranks by which GOEXPERIMENT=staticlockranking checks the order. wmTypes.lock has a rank before
// channels' which only tests of the runtime use.
func wmRankLocks() {
	lockInit(&wmTypes.lock, lockRankTestR)
	lockInit(&wm.lock, lockRankHchan)
	lockInit(&wmPackages.lock, lockRankLeafRank)
	lockInit(&wmTables.lock, lockRankLeafRank)
	lockInit(&wmStacks.lock, lockRankLeafRank)
	lockInit(&wmPauses.lock, lockRankHchan)
	lockInit(&wmTraces.lock, lockRankHchan)
	lockInit(&wmPaths.lock, lockRankLeafRank)
	lockInit(&wmObjects.lock, lockRankLeafRank)
}
