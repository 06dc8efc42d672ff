package agent

import (
	"fmt"
	"strings"
)

// chooseClock gives the clock that WAYMARKCLOCK asks for, of those that the machine
// has. One that it hasn't is no reason to record nothing: the error says which is used.
func chooseClock(want string, clocks []string) (string, error) {
	for _, c := range clocks {
		if c == want {
			return c, nil
		}
	}
	if want == "" {
		return clocks[0], nil
	}
	return clocks[0], fmt.Errorf("WAYMARKCLOCK=%s: this machine has %s; recording with %s",
		want, strings.Join(clocks, " and "), clocks[0])
}
