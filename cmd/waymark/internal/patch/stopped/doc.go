// Package stopped reads and writes another process, stops its threads, and has it make system calls.
//
//	p, err := stopped.Open(4711)
//	if err := p.Stop(); err != nil {
//		return err
//	}
//	err = p.Write(at, code)
//	p.Resume()
//
// The kernel wants all that concerns a process's threads from one thread of the tracer: who uses a Process
// stays on one, see runtime.LockOSThread.
//
// A kill of the tracer at any moment leaves the process as it would be without it, but for memory that was
// written: the kernel lets threads go on, and no thread has registers that only the tracer could mend.
package stopped
