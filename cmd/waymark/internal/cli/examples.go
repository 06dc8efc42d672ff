package cli

import "strings"

// examples are shown by the commands' help.
var examples = map[string]string{
	"build": `
waymark build -o app ./cmd/app            then WAYMARK=stats ./app, or waymark record ./app
waymark build --args --include ./... .    able to record arguments`,
	"run": `
waymark run ./cmd/app -v file.txt         -v and file.txt are the program's
waymark run --sort self --top 50 .        the functions that take the time themselves`,
	"test": `
waymark test --trace -run TestParse .     what a test did that fails; -run is go test's
waymark test --affected main ./...        only the tests that the change can reach`,
	"record": `
waymark record -o app.wmt ./cmd/app       then use report, tree, replay
waymark record --args --results .         also arguments and results`,
	"rewrite": `
waymark rewrite -o out ./...              the sources for the compiler, in out
waymark rewrite --args -o out ./store     with the code that records arguments`,
	"groups": `
waymark groups ./...                      groups, their functions, info functions
waymark groups --format json -o g.json .  for programs`,
	"generate": `
waymark generate Trace                    trace_probes.go, which implements the interface Trace
waymark generate -o - Trace               prints what it would write`,
	"probes": `
waymark probes ./app                      probes of a file, before the program starts
waymark probes 4711 -w main:serve__return  results of a function of a running program`,
	"vet": `
waymark vet ./...                         mistakes in //waymark: directives
go vet -vettool=$(which waymark) ./...    the same, by the go command`,
	"attach": `
waymark attach app                        look into a running program, and switch its functions
waymark attach app @store ./cart          with these on from the beginning`,
	"report": `
waymark report --top 20 app.wmt           the functions that took the most time
waymark report --by package --sort calls app.wmt`,
	"tui": `
waymark tui app.wmt                       functions, call tree, callers, traces
EDITOR=vi waymark tui app.wmt             e opens the source of a function`,
	"tree": `
waymark tree --min 10ms app.wmt           the call tree, without short calls
waymark tree --callers 'cache.(*LRU).Get' app.wmt`,
	"replay": `
waymark replay --min 1ms app.wmt          the calls that took a millisecond or more
waymark replay --time 1.5s..2s --goroutine 1 app.wmt`,
	"traces": `
waymark traces app.wmt                    the slowest requests
waymark traces app.wmt 18-1503201         the calls of one, by its key in the list`,
	"seen": `
waymark seen --never app.seen             functions that no process with WAYMARK=seen called
waymark seen --cover c.out app*.seen      then go tool cover -html c.out`,
	"diff": `
waymark diff --fail-over 10% old*.wmt -- new*.wmt   calls exactly; times take several of each
waymark diff --test TestParse rec/p.wmt             a failed run beside one that passed`,
	"export": `
waymark export app.wmt --to pprof -o app.pprof           then go tool pprof -http=: app.pprof
waymark export app.wmt --to chrome --time 1s..2s -o app.json`,
	"load": `
waymark load app.wmt -o http://localhost:4318 --rate 5000     its traces again and again
waymark load -o http://localhost:4318 --depth 4 --width 5     made-up traces`,
	"serve": `
waymark serve app.wmt                     prints the address of pages about a recording
waymark serve --open 4711                 the functions and groups of a running program`,
	"info": `
waymark info app.wmt                      program, host, clock, events, damage
waymark info --blocks app.wmt             offsets, sizes, checksums, events`,
	"dump": `
waymark dump 4711                         says which file the program wrote
waymark dump -o app.wmt 4711              to a file of yours`,
	"env": `
eval "$(waymark env .)" && go build .     an instrumented build by another tool
waymark env --include ./store ./cmd/app   of some functions only`,
	"clean": `
waymark clean                             the next build rewrites all packages anew
WAYMARKCACHE=/tmp/w waymark clean         another cache`,
	"version": `
waymark version
waymark version | head -n 1`,
	"ps": `
waymark ps                                programs of this user
waymark ps --dir /mnt/sockets             those of a container`,
	"status": `
waymark status 4711
waymark status app                        if there is only one app`,
	"on": `
waymark on 4711 store.Put                 until ^C
waymark on --stay --for 1m --monitor print 4711 @IO`,
	"off": `
waymark off 4711 @IO                      a group that was left on
waymark off app store.Put @IO`,
	"reset": `
waymark reset 4711                        what the program itself or WAYMARK has switched on stays
waymark reset app`,
	"resume": `
waymark resume 4711                       of WAYMARK=suspend ./app: its first init function runs
waymark resume app`,
	"top": `
waymark top 4711                          the functions that take the time now, every second
waymark top -n 1 --every 5s --format json app ./store/...`,
	"watch": `
waymark watch 4711 store.Put              calls as they end
waymark watch --on panic -n 1 app store.Put`,
	"calls": `
waymark calls app 17                      call 17 in full, by its number in watch
waymark calls --if 'args[0] > 10 && error' app`,
	"trace": `
waymark trace -n 1 4711 main.handle       the tree of the next call
waymark trace --min 100ms app main.handle`,
	"stack": `
waymark stack 4711 store.Put              the callers of the next 100 calls
waymark stack -n 0 --for 10s app store.Put`,
	"monitor": `
waymark monitor 4711 store.Put store.Get  rates and times, every 5 s
waymark monitor --every 1s --for 1m app @IO`,
	"sample": `
waymark sample 4711                       where it spends its time, on a CPU and waiting
waymark sample --root store.Put --for 30s --format pprof -o put.pb.gz app`,
	"mcp": `
waymark mcp                               for a client to start, see docs/mcp.md
waymark mcp --allow-changes               with the tools build and test`,
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimPrefix(text, "\n"), "\n", "\n  ")
}
