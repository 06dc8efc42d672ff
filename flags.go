package waymark

import (
	"flag"
	"strconv"
	"strings"
)

// FlagGroups defines a flag for each group that there is, -trace-IO for group IO, which has calls of its functions
// printed on standard error, see Print. It is to be called when packages have been initialised, as in main.
func FlagGroups(fs *flag.FlagSet) {
	p := toStderr()
	for _, g := range Groups() {
		g := g
		usage := "print the calls of the functions in group " + g.Name()
		if subs := g.Subgroups(); len(subs) > 0 {
			var names []string
			for _, sub := range subs {
				names = append(names, sub.Name())
			}
			usage += ", which contains " + strings.Join(names, ", ")
		}
		fs.BoolFunc("trace-"+g.Name(), usage, func(value string) error {
			on, err := strconv.ParseBool(value)
			if err == nil && !on {
				Clear(g)
			} else if err == nil {
				err = Register(g, p)
			}
			return err
		})
	}
}
