// Package runtime, as waymark adds to it: packages with instrumented functions.
//
// A package registers when the program starts, and tells its groups when their variables have been
// initialised. Packages are never removed.

package runtime

import "unsafe"

// A WMPackage is a group of files that were compiled together. It lies in the
// package's data and lives as long as the program.
type WMPackage struct {
	Sites []WMSite
	Table string // what format.ParseTable reads
	Base  uint32 // id of the first site

	Settings string // of the build, in the form of WAYMARK

	// Probes are those of its functions, by site: see waymark_probes.go. The words of these
	// functions are here, and not in Sites.
	Probes []WMProbe

	// Providers are types of package probe whose probes have locations in Probes.
	Providers []WMProvider

	// Groups are what the variables hold that the table names, when they have been
	// initialised.
	Groups []any

	bound bool
	next  *WMPackage
}

// wmPackages are the registered packages, in the order of their site ids.
var wmPackages struct {
	lock        mutex
	first, last *WMPackage
	nextSite    uint32
	onRegister  []func(*WMPackage)
	onBind      func(*WMPackage)
}

// WMRegister makes a package's sites known. It runs before any function of the
// package does: instrumented functions refer to the variable it initialises.
func WMRegister(p *WMPackage) bool {
	wmPublish()
	if len(p.Probes) > 0 && wmConstants.end == 0 {
		wmFindConstants() // where strings are
		wmFindArguments()
	}
	lock(&wmPackages.lock)
	if wmPackages.last == nil {
		wmPackages.first = p
		wmPackages.nextSite = 1
	} else {
		wmPackages.last.next = p
	}
	wmPackages.last = p
	p.Base = wmPackages.nextSite
	wmPackages.nextSite += uint32(len(p.Sites))
	list := wmPackages.onRegister
	unlock(&wmPackages.lock)
	for _, f := range list {
		wmWork(func() { f(p) })
	}
	return true
}

// WMPackages calls f for each package registered so far and for each one that
// registers later, in the order of their site ids.
func WMPackages(f func(*WMPackage)) {
	for {
		lock(&wmPackages.lock)
		old := wmPackages.onRegister
		unlock(&wmPackages.lock)
		list := append(old[:len(old):len(old)], f) // nothing can be allocated under the lock
		lock(&wmPackages.lock)
		changed := len(wmPackages.onRegister) != len(old)
		first, last := wmPackages.first, wmPackages.last
		if !changed {
			wmPackages.onRegister = list
		}
		unlock(&wmPackages.lock)
		if changed {
			continue
		}
		wmObserve()
		for p := first; p != nil; p = p.next {
			wmWork(func() { f(p) })
			if p == last {
				break
			}
		}
		return
	}
}

// wmPublish tells the race detector, which does not see the runtime's locks, that what a package has
// written before it registered happens before what is read after wmObserve: a command may look into the
// program while its packages are being initialised.
func wmPublish() {
	if raceenabled {
		racereleasemerge(unsafe.Pointer(&wmPackages))
	}
}

func wmObserve() {
	if raceenabled {
		raceacquire(unsafe.Pointer(&wmPackages))
	}
}

// WMBind tells what the groups are that the functions of p are in.
func WMBind(p *WMPackage, groups ...any) bool {
	p.Groups = groups
	wmPublish()
	lock(&wmPackages.lock)
	p.bound = true
	f := wmPackages.onBind
	unlock(&wmPackages.lock)
	if f != nil {
		wmWork(func() { f(p) })
	}
	return true
}

// WMOnBind calls f for each package whose groups are known, and for each of which they become known later.
func WMOnBind(f func(*WMPackage)) {
	lock(&wmPackages.lock)
	wmPackages.onBind = f
	p := wmPackages.first
	unlock(&wmPackages.lock)
	wmObserve()
	for ; p != nil; p = p.next {
		if p.bound {
			wmWork(func() { f(p) })
		}
	}
}

// wmSwitchOff has no calls recorded any more.
func wmSwitchOff() {
	for p := wmPackages.first; p != nil; p = p.next {
		for i := range p.Sites {
			wmUnrecord(p, i)
		}
	}
}

// WMSites gives the id that the next site to be registered gets.
func WMSites() uint32 {
	lock(&wmPackages.lock)
	defer unlock(&wmPackages.lock)
	return wmPackages.nextSite
}
