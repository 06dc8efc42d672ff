// Package report prints what a recording holds: which functions, packages or
// goroutines took how much time, and the facts about the recording itself.
//
//	r := report.New(report.Options{By: report.ByFunction, Sort: report.SortTotal})
//	if err := r.Read(set); err != nil {
//		return err
//	}
//	return r.Write(os.Stdout, report.Text)
//
// Data goes one way. Read reads each process's file through package calltree into
// rows, whose times are in nanoseconds from then on. Write sorts the rows and
// prints them as text, JSON or CSV. A row's total, self, min and max are each
// rounded once, from exact sums of clock ticks. So columns of n rows add up to
// within n/2 ns.
//
// Text is for people: units that fit, as uftrace prints them, and the lines under
// the table say whatever makes its numbers incomplete. JSON and CSV are for
// programs: plain integers, times in ns, under names that stay.
package report
