//go:build !go1.24

package spans

import (
	"errors"
	"net/http"
)

// onlyHTTP2 leaves a transport as it is: with TLS it speaks HTTP/2 where the collector does.
func onlyHTTP2(_ *http.Transport, secure bool) error {
	if !secure {
		return errors.New("gRPC without TLS needs a program that Go 1.24 or a later one has built: send over http")
	}
	return nil
}
