package control

import (
	"path"
	"strings"
)

// MatchProbe reports whether a pattern of Watch.Probes, PROVIDER:PROBE, is about a probe: * stands for
// any text. It returns an error if the pattern isn't one.
func MatchProbe(pattern, provider, probe string) (bool, error) {
	p, name, ok := strings.Cut(pattern, ":")
	if !ok {
		return false, &Error{CodeRequest, pattern + ": want PROVIDER:PROBE"}
	}
	in := true
	for _, part := range [][2]string{{p, provider}, {name, probe}} {
		ok, err := path.Match(part[0], part[1])
		if err != nil {
			return false, &Error{CodeRequest, pattern + ": " + err.Error()}
		}
		in = in && ok
	}
	return in, nil
}

// probes returns the patterns of probes that a request is about.
func (r *Request) probes() []string {
	if r.Watch == nil {
		return nil
	}
	return r.Watch.Probes
}
