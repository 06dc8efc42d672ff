package seen

import (
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Facts returns what the head of a seen file says about the program of that path.
func Facts(program string) []format.KeyValue {
	host, _ := os.Hostname()
	return []format.KeyValue{
		{Key: format.MetaProgram, Value: program[max(0, len(program)-mostPath):]},
		{Key: format.MetaBuild, Value: buildID(program)},
		{Key: format.MetaGo, Value: runtime.Version()},
		{Key: format.MetaGOOS, Value: runtime.GOOS},
		{Key: format.MetaGOARCH, Value: runtime.GOARCH},
		{Key: format.MetaHost, Value: host},
		{Key: format.MetaStart, Value: strconv.FormatInt(time.Now().UnixNano(), 10)},
	}
}

// mostPath is how much of a program's path is kept: its end, bytes.
const mostPath = 1 << 10
