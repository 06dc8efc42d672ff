package httpapi

import (
	"encoding/json"
	"net/http"
)

// readJSON decodes the body of a request. Errors other than a body that is
// too large are a *requestError.
func readJSON[T any](r *http.Request) (T, error) {
	var v T
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(&v)
	if err != nil && !isA[*http.MaxBytesError](err) {
		err = &requestError{"malformed body: " + err.Error()}
	}
	return v, err
}

// writeJSON replies with v.
func writeJSON[T any](w http.ResponseWriter, status int, v T) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(v)
}
