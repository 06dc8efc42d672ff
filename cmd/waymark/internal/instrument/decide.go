package instrument

import "cmp"

// decide says for each function whether it is instrumented, and why not.
func decide(u *unit, funcs []*function) {
	minCost := cmp.Or(u.opts.MinCost, budget+1)
	costs := newEstimator(u)
	for _, f := range funcs {
		if f.body != nil {
			est := costs.function(f)
			f.Cost = est.cost
			f.inlines = est.inlines()
			f.Tiny = est.inlinable && est.cost < minCost && !calledByRuntime(u.group, f) && !costs.slow(f.body)
		}
		f.Traced = f.tracing != ""
		f.Instrumented, f.Reason = choose(u.opts, f)
		if f.Instrumented {
			if u.opts.Values != nil {
				f.args, f.results = u.opts.Values(&f.Func)
			}
			if f.Traced { // monitors want them
				f.args, f.results = true, true
			}
			f.args = f.args && count(f.params()) > 0
			f.results = f.results && count(f.typ.Results) > 0
			f.exits = findExits(u, f)
			f.results = f.results && f.exits.fits
			f.fails = f.exits.fits && !f.info && returnsError(u.info, f.typ)
		}
	}
	findTiny(costs, funcs)
}

func choose(o *Options, f *function) (bool, string) {
	switch {
	case f.never != "":
		return false, f.never
	case f.Closure && !o.Closures:
		return false, "function literal"
	case o.Select != nil:
		if ok, reason := o.Select(&f.Func); !ok {
			return false, reason
		}
	case f.Tiny && !f.Traced:
		return false, Tiny
	}
	return true, ""
}

// calledByRuntime reports whether no Go code calls f, so that it is never
// inlined however small it is.
func calledByRuntime(g *Group, f *function) bool {
	return f.decl != nil && f.decl.Recv == nil && (f.Base == "init" || f.Base == "main" && g.Main)
}
