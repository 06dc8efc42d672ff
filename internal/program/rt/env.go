package rt

import "os"

// Env returns a variable of the environment that is for waymark. It is empty in a program that runs
// with more rights than its caller: the caller, who makes the environment, gets nothing by it.
func Env(name string) string {
	if Secure() {
		return ""
	}
	return os.Getenv(name)
}
