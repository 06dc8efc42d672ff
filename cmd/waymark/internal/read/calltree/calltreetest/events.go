package calltreetest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// Events reads events in a short notation: words, each an event that happens one
// tick after the one before.
//
//	A10  a10   enter and exit of the function of site 1 with token 10; B is of site 2
//	!10  ^10   a panic begins in, is recovered in, the frame with token 10
//	%1         the innermost call of the function of site 1 returns an error
//	~B10,30    a counted call of the function of site 2 with token 10 ends, which took 30 ticks
//	_2         the goroutine stops running, for reason 2
//	=2,30,10,7 it runs again, which it has not done for 30 ticks, for reason 2; for the last 10 of them
//	           it was ready, since goroutine 7 had seen to it; a fifth number is since when it runs,
//	           a sixth one how many more waits these are
//	*3,48      the goroutine has made 3 objects of together 48 bytes since its event before
//	/10        Goexit begins in the frame with token 10
//	<1         the goroutine starts; goroutine 1 created it, by the go statement with origin 1
//	>2         the goroutine executes a go statement: that starts goroutine 2
//	.          the goroutine ends
//	@2         events that follow are of goroutine 2 (1 at first)
//	+5         five more ticks pass
func Events(text string) ([]tracefile.Event, error) {
	var list []tracefile.Event
	clock, goroutine := uint64(0), uint64(1)
	for _, word := range strings.Fields(text) {
		n := uint64(0)
		if word[0] == '~' {
			ev := tracefile.Event{Kind: tracefile.Long, Goroutine: goroutine}
			var letter rune
			if _, err := fmt.Sscanf(word, "~%c%d,%d", &letter, &ev.Token, &ev.Value); err != nil {
				return nil, fmt.Errorf("%s: %w", word, err)
			}
			clock++
			ev.Site, ev.Clock = uint32(letter-'A'+1), clock
			list = append(list, ev)
			continue
		}
		if word[0] == '=' {
			var w format.Wait
			if _, err := fmt.Sscanf(word+",0,0", "=%d,%d,%d,%d,%d,%d", &w.Reason, &w.Total, &w.Runnable, &w.Waker, &w.Ago, &w.More); err != nil {
				return nil, fmt.Errorf("%s: %w", word, err)
			}
			clock++
			list = append(list, tracefile.Event{
				Kind: tracefile.Waited, Clock: clock, Goroutine: goroutine, Value: w.Total, Data: format.AppendWait(nil, w),
			})
			continue
		}
		if word[0] == '*' {
			var objects, bytes uint64
			if _, err := fmt.Sscanf(word, "*%d,%d", &objects, &bytes); err != nil {
				return nil, fmt.Errorf("%s: %w", word, err)
			}
			clock++
			list = append(list, tracefile.Event{
				Kind: tracefile.Made, Clock: clock, Goroutine: goroutine, Value: objects, Data: format.AppendMade(nil, objects, bytes),
			})
			continue
		}
		if len(word) > 1 {
			var err error
			if n, err = strconv.ParseUint(word[1:], 10, 64); err != nil {
				return nil, fmt.Errorf("%s: %w", word, err)
			}
		}
		ev := tracefile.Event{Goroutine: goroutine, Token: uint32(n)}
		switch c := word[0]; {
		case 'A' <= c && c <= 'Z':
			ev.Kind, ev.Site = tracefile.Enter, uint32(c-'A'+1)
		case 'a' <= c && c <= 'z':
			ev.Kind, ev.Site = tracefile.Exit, uint32(c-'a'+1)
		case c == '!':
			ev.Kind = tracefile.Panic
		case c == '^':
			ev.Kind = tracefile.Recover
		case c == '%':
			ev.Kind, ev.Site, ev.Token = tracefile.Error, uint32(n), 0
		case c == '_':
			ev.Kind, ev.Token, ev.Value = tracefile.Parked, 0, n
		case c == '/':
			ev.Kind = tracefile.Goexit
		case c == '<':
			ev.Kind, ev.Token, ev.Value, ev.Origin = tracefile.Start, 0, n, 1
		case c == '>':
			ev.Kind, ev.Token, ev.Value = tracefile.Spawn, 0, n
		case c == '.':
			ev.Kind = tracefile.End
		case c == '@':
			goroutine = n
			continue
		case c == '+':
			clock += n
			continue
		default:
			return nil, fmt.Errorf("%s is no event", word)
		}
		clock++
		ev.Clock = clock
		list = append(list, ev)
	}
	return list, nil
}
