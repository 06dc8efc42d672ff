package candidate

// unfit are functions of the standard library that nothing in their source
// tells from others, but which run where the hooks must not be called.
var unfit = map[string]string{
	"sync.poolCleanup": "runs while the world is stopped",
	"time.goFunc":      "runs on the system stack",
	"time.sendTime":    "runs on the system stack",
}

// forbidding returns the first pragma that forbids the hooks. Such a pragma
// says that the function runs where a call of the hooks isn't allowed, or that
// its frame must stay as it is.
func forbidding(pragmas []string) string {
	for _, p := range pragmas {
		switch p {
		case "go:nosplit", "go:systemstack", "go:nowritebarrier", "go:nowritebarrierrec",
			"go:yeswritebarrierrec", "go:cgo_unsafe_args":
			return "//" + p
		}
	}
	return ""
}
