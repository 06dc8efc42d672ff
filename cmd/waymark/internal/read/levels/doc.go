// Package levels makes an index beside a recording that shows any part of it, at any scale, without
// reading the rest.
//
//	x, err := levels.Open(ctx, process, levels.Options{})   // made if there is none: app.wmt.levels
//	defer x.Close()
//	for _, g := range x.Groups() {
//		lanes, all := x.Lanes(g.ID, tracefile.Range{}, 0, 50)
//	}
//	w, err := x.Window(levels.Query{Range: second, Pixels: 1500, Lanes: []uint64{1, 17}, Rows: 16})
//	c, err := x.Next(site, clock, 0)                   // the next call of a function
//	table, err := x.Table(ctx, second, 0)                  // the functions of a range
//
// # Levels
//
// An index holds the strokes of a calltree.Sketch: calls that take long, and stretches of shorter
// ones, at several levels. The limit of each level is four times that of the level below. A
// window is drawn from the level whose limit is about a pixel. So the window has about as many
// strokes as the screen has room for. At the lowest level a pixel has some 100 events of the
// whole program. A window with finer pixels has few events, and these are read from the
// recording. The index knows what calls are open at the window's beginning, except short ones.
// Short calls begin just before.
//
// A recording with few events for its many calls in progress, as one of 100,000 goroutines which wait,
// would have a stroke for each call. Then the lowest levels are left out. Calls that are shorter than
// the lowest level's limit are then seen one by one only where a window has few events.
//
// # The file
//
// Strokes are sorted by goroutine, kind, level and time, in chunks of 256. A table says where the
// chunks of each goroutine are. Another divides the recording's time into 4,096 slots, with the
// functions that are called in each. The search for the next call of a function reads the slots
// that have one.
//
// The index belongs to the recording's very bytes: their number, the time when they were last written,
// and what is at both ends. It is written under another name, and renamed when it is whole. Tables and
// chunks have checksums.
//
// # Requests
//
// A Timeline is an http.Handler. It answers GET requests whose paths are, below the place where it
// is mounted, one of these. Answers are JSON; times ns since the beginning of the process's
// recording, with from included and to not. All but state take process, an index in state's list,
// and wait until the index is there. Errors are {"error": "..."}, with the status 400 for a mistake
// in the request, 404 for a call that isn't there.
//
//	state       {processes: [{label, since_ns, ready, read, all, error}]}: read of all events are in the
//	            index; error says why there is none, and there will be none
//	info        {label, program, file, start_ns, end_ns, events, calls, goroutines, groups, waiting, live,
//	            reasons: [...], lacks: [...], index: {path, bytes, strokes, new, made_ns, limit_ns}}
//	functions   {functions: [{id, name, file, line, calls, total_ns, self_ns, min_ns, max_ns, panics,
//	            errors}]}; with waiting also what `waymark report --waiting --format json` has
//	groups      from, to, bins: {groups: [{group, function, file, line, lanes, shown, main, alive, and as
//	            a lane}]}, by go statement; shown of the lanes were alive in the range; alive has a number
//	            for each of bins equal parts; main is of the main goroutine
//	lanes       group, or goroutine for the page on which it is; from, to, offset, limit: {group, offset,
//	            all, lanes: [{id, parent, start_ns, end_ns, ended, calls, total_ns, running_ns,
//	            runnable_ns, waiting_ns, panics, errors, depth}]}
//	window      from, to, px, lanes=1,17, skip, rows: {from_ns, to_ns, limit_ns, exact, lanes: [{id, calls,
//	            waits}], starts, all_starts}
//	call        goroutine, function, at, depth: {goroutine, function, name, file, line, depth, start_ns,
//	            end_ns, duration_ns, self_ns, args, results, panicked, recovered, exited, failed, open,
//	            cut, counted, panic, objects, callers, children, waits, running_ns, ..., far}
//	find        function, from, direction=next|previous, goroutine: as call
//	table       from, to, goroutine: {from_ns, to_ns, functions as above}
//	counts      from, to, bins: {events: [...], panics: [...], goroutines: [...]}
//
// In the answer to window, calls and waits are flat lists of eight numbers each, starts one of three:
//
//	calls   start, end, depth, function, calls, flags (calltree.Flags), deep, kind: 0 a call, 1 short ones
//	waits   start, end, waiting, runnable, reason, waits, waker, kind: 2 a wait, 3 several, with what is between
//	starts  parent, child, time
package levels
