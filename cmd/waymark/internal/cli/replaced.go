package cli

import (
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/tracefile"
)

// recordings gives the trace files of a program that was told to record to file:
// that one and, if its process has replaced its program (exec), those of what came
// after, in order. Files of the same name from before are not among them.
func recordings(file string) []string {
	all := []string{file}
	info, err := readInfo(file)
	for n := 1; err == nil; n++ {
		name := format.OfProcess(file, info.PID, n)
		var next tracefile.Info
		if next, err = readInfo(name); err == nil && next.Start.Before(info.Start) {
			break
		}
		if err == nil {
			all = append(all, name)
		}
	}
	return all
}

func readInfo(file string) (tracefile.Info, error) {
	f, err := tracefile.Open(file)
	if err != nil {
		return tracefile.Info{}, err
	}
	defer f.Close()
	return f.Info(), nil
}
