//go:build !unix

package levels

// readOnly is for systems whose errors about it are those of a lack of permission.
func readOnly(error) bool { return false }
