// Package budget decides how much of a program's calls is recorded, so that tracing adds no more
// CPU time than the user allows.
//
//	c := budget.New(0.1, costs, start)
//	...
//	for _, change := range c.Step(sample) {
//		// the site has another level from now on
//	}
//
// # Model
//
// A Controller has no clock and switches nothing. Its caller says every few milliseconds which
// calls were recorded and counted, and how much CPU time the process has taken. The cost of a call
// is known from a calibration at the start. The cost of encoding and writing is measured, and so is
// what values cost, by some of them.
//
// What tracing may cost is saved up in an account. The program's own CPU time adds its share to the
// account, and every traced call takes its cost from it. The account holds no more than what comes
// in within 60 ms. So a burst is recorded in full, but a new phase is noticed at once. If the
// account is empty, functions are demoted until the predicted cost is within the budget. Calls are
// always counted. The cost of counting is taken from the budget first, but a tenth of the budget is
// left for all else. In some programs counting calls costs more than the user allows. These
// programs keep the events of functions that are called seldom.
//
// # Choice
//
// Functions are demoted in the order of cost saved over information lost. The information in a
// function's calls is the time that they describe: many short calls are demoted before few long
// ones. First a function loses its values, then its events. Its calls of 100 us and more stay in a
// recording. They do not if its calls are so short and so many that even looking for long ones
// would cost too much. Functions whose calls take 100 us on average are not demoted. Functions that
// the user has named are demoted after all others.
//
// # Stability
//
// A function is promoted when the predicted cost with it stays below 80 % of the budget. The
// prediction takes the larger of the rates of late and of the last second. A function that must be
// demoted again soon waits twice as long each time.
package budget
