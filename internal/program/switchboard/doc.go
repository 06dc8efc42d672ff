// Package switchboard knows who wants what of which function of the running program, and switches
// the functions accordingly.
//
//	owner := switchboard.Default.Join("Print", switchboard.Program)
//	err := owner.Set(switchboard.Wish{Want: rt.Watched, Kind: "Print", Observer: always(o)})
//	...
//	owner.Close()
//
// An owner has wishes: functions that it wants to be recorded, counted, timed or observed. The
// union of all owners' wishes is what is done with a call of a function. It is in the word of the
// function's site, which the hooks test. An owner that leaves takes its wishes along and nothing
// else.
//
// A Board has one lock. It parses the table of each package once, and learns of groups as they
// appear. It applies wishes to packages that register later and to groups that grow. Policies are
// asked here and nowhere else.
//
// Calls take no lock: a site's observers are in a list, which is replaced and never changed.
package switchboard
