package recorder

import (
	"os"
	"runtime"
	"strconv"

	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// programFacts describes the program, its host and the clock.
func (r *Recorder) programFacts(clk clock.Clock) []format.KeyValue {
	list := r.config.Facts
	if list == nil {
		list = facts()
	}
	return append(list[:len(list):len(list)],
		format.KeyValue{Key: format.MetaClock, Value: clk.Name},
		format.KeyValue{Key: format.MetaHz, Value: strconv.FormatUint(rate(r.rt, clk, r.start), 10)},
		format.KeyValue{Key: format.MetaStart, Value: strconv.FormatInt(r.start.UnixNano, 10)})
}

// facts describes the running program and its host.
func facts() []format.KeyValue {
	program, err := os.Executable()
	if err != nil && len(os.Args) > 0 { // there is no /proc; WebAssembly may have no arguments either
		program = os.Args[0]
	}
	host, _ := os.Hostname()
	return []format.KeyValue{
		{Key: format.MetaProgram, Value: program},
		{Key: format.MetaGo, Value: runtime.Version()},
		{Key: format.MetaGOOS, Value: runtime.GOOS},
		{Key: format.MetaGOARCH, Value: runtime.GOARCH},
		{Key: format.MetaHost, Value: host},
		{Key: format.MetaCPUs, Value: strconv.Itoa(runtime.NumCPU())},
		{Key: format.MetaPID, Value: strconv.Itoa(os.Getpid())},
		{Key: format.MetaParent, Value: strconv.Itoa(os.Getppid())},
		{Key: format.MetaSpawns, Value: "1"},
	}
}
