package recorder

import (
	"os"
	"runtime"
	"strconv"

	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// facts describes the program and its host.
func facts(h hooks, clk clock.Clock, start format.ClockPair) []format.KeyValue {
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
		{Key: format.MetaClock, Value: clk.Name},
		{Key: format.MetaHz, Value: strconv.FormatUint(rate(h, clk, start), 10)},
		{Key: format.MetaStart, Value: strconv.FormatInt(start.UnixNano, 10)},
	}
}
