// Package runtime, as waymark adds to it: timed calls that are in progress.

package runtime

// A WMOpen adds up calls of a site that are in progress.
type WMOpen struct {
	Total, Inner, Self uint64 // as in WMSum
	Least, Most        uint64 // ^Least is what the shortest one has taken; 0 if there is none
	Panics             uint64 // of these, calls that the panic ends which ends the program
	Ended              WMSum  // of the site at the same instant, if there is one
	WMOff                     // of Total and Self
}

// WMOpenCalls adds to open, by site, what calls in progress have taken until now. WMOpenCalls stops
// the world for that, as what a goroutine does meanwhile would make nonsense of the sums. If a
// dying thread keeps the world from stopping, no call in progress is added. Sites that have no
// place in open are left out. To paths it stores, by node, the sums of paths at the same instant,
// with calls in progress. It returns that instant.
func WMOpenCalls(open []WMOpen, paths []WMPath) (now uint64) {
	if wmLast.stuck.Load() {
		wmSumPaths(paths)
		return wmClock()
	}
	stw := stopTheWorld(stwReadMemStats)
	if now = wmExit.Load(); now == 0 {
		now = wmClock()
	}
	wmSumPaths(paths)
	forEachGRace(func(gp *g) {
		s := wmStackOf(gp)
		if s == nil {
			return
		}
		within := uint64(0) // what the calls above that aren't in call.children have taken
		off := wmPause{}
		if wmWaitTimes { // else what is noted may be old
			off = gp.pauseNow(now)
		}
		own := off // of the innermost timed call
		panics := uint64(0)
		if wmLast.panicked.ptr() == gp {
			panics = 1
		}
		for top := gp.wm.top; top > s.base(); top -= wmCallBytes {
			call := wmBelow(top)
			if call.frame&wmFrameTimed == 0 {
				within += call.children
				continue
			}
			took := uint64(0)
			if now > call.enter {
				took = now - call.enter
			}
			self := took - min(call.children+within, took)
			if call.flags&wmCallOff != 0 {
				o := s.offAt(call)
				off.add(o.all)
				own.add(o.own)
			}
			if site := call.frame.site(); int(site) < len(open) {
				open[site].add(call, took, self)
				if call.flags&wmCallInner == 0 {
					open[site].addAll(off.within(took))
				}
				open[site].addOwn(own.within(self))
				open[site].Panics += panics
			}
			call.addOpenPath(paths, self, panics)
			within = took
			own = wmPause{}
		}
	})
	for site := range open {
		if open[site].Least > 0 {
			open[site].Ended = WMSumOf(uint32(site))
		}
	}
	startTheWorld(stw)
	return now
}

func (o *WMOpen) add(call *wmCall, took, self uint64) {
	if call.flags&wmCallInner != 0 {
		o.Inner += took
	} else {
		o.Total += took
	}
	o.Self += self
	o.Least, o.Most = max(o.Least, ^took), max(o.Most, took)
}
