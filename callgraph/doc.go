// Package callgraph holds trees of calls: who called whom, and what each path of calls took.
//
//	fmt.Print(tree) // from package sampler
//	// 100% (55% cpu) main.serve
//	//   65% (35% cpu) store.Find
//	//   35% (20% cpu) json.Marshal
//
//	callgraph.Text{Tree: tree, MinShare: 0.01}.WriteTo(os.Stdout)
//	return tree.WritePprof(file) // for go tool pprof
//
// One type is for all trees, so that all have the same outputs: text, folded stacks for flame
// graphs, pprof's format and JSON.
//
// # Model
//
// A [Node] stands for a path of calls: its function, called by the function of the node above, and
// so on up to the root. Calls of one function from two callers are two nodes.
//
// A tree is exact or sampled. An exact tree adds up calls and their durations: [OfStatistics]
// returns that of statistics. A sampled tree adds up stacks that a sampler has seen, see
// [Sampling]. Each stack stands for the time around its sample. So the times of a sampled tree are
// estimates, and comparable with exact times even if the sampler has changed its rate.
//
// Total is time of goroutines: two goroutines that wait for one second make two seconds.
package callgraph
