// Package sampler shows where a program spends its time, on a CPU or waiting, from within the
// program. It looks at the stacks of goroutines several times a second and makes a tree of calls of
// them. The program need not be built by waymark.
//
//	s, err := sampler.Start(sampler.Options{Root: "main.serve"})
//	if err != nil {
//		return err
//	}
//	...
//	tree, err := s.Stop()
//	if err != nil {
//		return err // main.serve was not seen, for example
//	}
//	fmt.Print(tree)
//	// 100% (55% cpu) main.serve
//	//   65% (35% cpu) store.Find
//	//   35% (20% cpu) json.Marshal
//
// Each function stands below its caller. It has its share of the time of main.serve, and the part
// of that share that was on a CPU. Package callgraph has the tree. It writes the tree as text, as
// folded stacks for flame graphs, in pprof's format and as JSON.
//
// # What is counted
//
// A sample looks at all goroutines but the sampler's. Those with the root on their stack are in the
// tree, from the outermost call of the root down. Without a root the tree begins at the functions
// that goroutines began with. Each stack stands for the time around its sample, half of it on each
// side.
//
// The function on top of a stack shows whether the goroutine is parked, in a system call or in C,
// or neither. A parked goroutine waits. One that is neither runs or is ready to run. If there are more
// of these than GOMAXPROCS, each has an equal part of the CPUs' time, and is ready for the rest. A
// system call counts as such whether or not it uses the CPU.
//
// # Limits
//
//   - A goroutine that runs is seen where the runtime can stop it. That is close to where it was,
//     but never within package runtime: allocation and garbage collection are in the function that
//     allocates. The unexported functions of package runtime are not in the tree.
//   - A sample makes the runtime visit all goroutines, 2 to 20 us for each, and stops the program
//     for a moment before and after. With many goroutines samples become rare: they take at most
//     MaxCPU of one CPU, by waiting after each as long as it cost. If all CPUs are busy, samples
//     come late. The tree has the numbers.
//   - The runtime returns the innermost 32 calls of each goroutine cheaply. If a stack that matters
//     is deeper, all later samples cost more and have 128 calls, or as many as
//     GODEBUG=profstackdepth says.
//   - The runtime detects no deadlock while a sampler runs, because its timer may still wake the
//     program.
package sampler
