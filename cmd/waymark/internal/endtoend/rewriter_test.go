package endtoend

import "flag"

// Flags of the tests that fuzz the rewriter with what others have written.
var (
	rewriter   = flag.Bool("rewriter", false, "instrument GOROOT/test and the module cache (takes an hour)")
	gorootTest = flag.String("goroot-test", "", "folder of GOROOT/test; by default that of the go command's GOROOT")
	gorootRun  = flag.String("goroot-run", ".", "run the files of GOROOT/test only that this pattern matches, as in fixedbugs/issue4")
)
