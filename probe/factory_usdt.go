package probe

// USDT returns the factory of a sink for the tracers of the system: bpftrace, bcc, perf, gdb. They
// find the probes in the running process, by the process's id: `bpftrace -p PID -l 'usdt:*'`. It needs
// linux on amd64 or arm64. Elsewhere, and where the system refuses executable memory, or if tracers
// can't have a name, Register returns a SinkError. With WAYMARK=usdt=0 there is no sink and no
// error.
//
// Argument n of the probe is the tracer's argn. Integers and booleans are told by value, and
// floating-point numbers as their bits (math.Float64bits, Float32bits). Strings are told as the
// address of a copy of at most MaxText bytes. The copy ends with a 0 byte and is there until the
// tracer has read it. All others are 0.
func USDT() Factory {
	return one("USDT", func(l *live) (sink, error) {
		if !usdtWanted() {
			return nil, nil
		}
		return openUSDT(l)
	})
}

// MaxText is how many bytes of a string tracers can read at most. A longer string is cut before a
// character.
const MaxText = 4095
