//go:build go1.24

package spans

import "net/http"

// onlyHTTP2 makes a transport speak nothing but HTTP/2, with TLS or without.
func onlyHTTP2(t *http.Transport, secure bool) error {
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP2(secure)
	t.Protocols.SetUnencryptedHTTP2(!secure)
	return nil
}
