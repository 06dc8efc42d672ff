package live

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A token goes to the address that was given, and not where that one leads to.
func TestTokenRedirected(t *testing.T) {
	t.Setenv(TokenVariable, "sixteen bytes or more")
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		first := httptest.NewServer(http.RedirectHandler(other.URL, status))
		if c, err := Connect(first.URL, ""); err == nil {
			c.Close()
			t.Errorf("status %d: a connection, want an error", status)
		}
		first.Close()
	}
	if asked > 0 {
		t.Errorf("the other server was asked %d times", asked)
	}
}
