package toolchain

// testAnchors are the places in package testing where a test begins, waits for its turn, logs, is
// marked as failed, and ends. They are also where the alarm of -timeout is set, rings and is
// stopped. An end is reported before the test's parent may go on, because the parent may end the
// process.
var testAnchors = []anchor{
	{file: "testing.go", fn: "runTests", before: "ok = true", text: "wmBinary(importPath); "},
	{file: "testing.go", fn: "tRunner", before: "t.runner = callerName(0)", text: "wmBegin(&t.common); "},
	{file: "testing.go", fn: "tRunner", before: "t.report()", text: "wmEnd(&t.common); "},
	// A panic that nobody recovers: the process is about to die of it.
	{file: "testing.go", fn: "tRunner", before: "didPanic = true", text: "wmPanic(&t.common); "},
	{file: "testing.go", fn: "T.Parallel", before: "t.signal <- true", text: "wmPause(&t.common); "},
	{file: "testing.go", fn: "T.Parallel", before: "running.Store(", text: "wmContinue(&t.common); "},
	{file: "testing.go", fn: "common.log", before: "n.flushPartial()", text: "n.flushPartial(); wmLog(n, s); "},
	{file: "testing.go", fn: "outputWriter.writeLine", before: "o.c.output = append(o.c.output, b...)", text: "wmOutput(o.c, b); "},
	{file: "testing.go", fn: "outputWriter.writeLine", before: "o.c.chatty.Printf(o.c.name,", text: "wmOutput(o.c, b); "},
	{file: "testing.go", fn: "common.Fail", before: "c.mu.Lock()", text: "wmErr(c); "},
	{file: "testing.go", fn: "M.startAlarm", before: "if *timeout <= 0", text: "wmLimit(); "},
	{file: "testing.go", fn: "M.startAlarm", before: "m.after()", text: "if wmPutOff() { return }; "},
	{file: "testing.go", fn: "M.startAlarm", before: "panic(fmt.Sprintf(", text: "extra = wmLate() + extra; "},
	{file: "testing.go", fn: "M.startAlarm", before: "deadline := ", text: "defer func() { wmTimer.Store(m.timer) }(); "},
	{file: "testing.go", fn: "M.stopAlarm", before: "if *timeout > 0", text: "wmStopped.Store(true); "},
	{file: "fuzz.go", fn: "fRunner", before: "f.start = ", text: "wmBegin(&f.common); "},
	{file: "fuzz.go", fn: "fRunner", before: "f.report()", text: "wmEnd(&f.common); "},
	{file: "fuzz.go", fn: "fRunner", before: "didPanic = true", text: "wmPanic(&f.common); "},
	{file: "run_example.go", fn: "runExample", before: "finished := false", text: "wmExample(eg.Name); "},
	{file: "run_example.go", fn: "runExample", before: "ok = eg.processRunResult(", text: "defer wmExampleEnd(eg.Name, &ok); "},
}

// PatchTesting returns the overlay with which package testing of the toolchain at
// goroot reports which test runs on which goroutine. Its parameters are those of Patch.
func PatchTesting(goroot, version string, untested bool) (map[string]File, error) {
	return patchPackage(goroot, version, "testing", untested, testAnchors)
}
