package cli

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/internal/wire/setting"
)

// A duration is the value of a flag, by the rules for WAYMARK: a number without a unit is seconds.
type duration time.Duration

func (d *duration) Set(text string) error {
	v, err := setting.ParseDuration(text)
	if err == nil && v < 0 {
		err = errors.New("want 0 or more")
	}
	*d = duration(v)
	return err
}

func (d *duration) String() string {
	if *d == 0 {
		return "0" // help leaves out a default that is nothing
	}
	return time.Duration(*d).String()
}

func (*duration) Type() string { return "duration" }

// durationVar defines a flag whose value is a duration.
func durationVar(set *pflag.FlagSet, d *time.Duration, name string, value time.Duration, usage string) {
	*d = value
	set.Var((*duration)(d), name, usage)
}
