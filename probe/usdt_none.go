//go:build !linux || !(amd64 || arm64)

package probe

const usdtSupported = false

func openUSDT(*live) (sink, error) { return nil, ErrPlatform }
