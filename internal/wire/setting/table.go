package setting

import (
	"math"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Setting is a key of WAYMARK, with the flag of the command that becomes it.
type Setting struct {
	Key, Short string // Short may be empty
	Kind       Kind
	Choices    []string // of Choice
	Least      int64    // of Number and Size
	Most       int64    // of Number; of Size 0 is no bound
	Want       string   // what errors say is wanted; empty: as Kind, Choices and bounds say
	Unit       string   // stands behind the bounds there
	Default    string   // empty: off, or none
	Of         Of
	Live       bool   // may be given to a recording of a running program
	Means      string // in docs/reference.md; empty: it is the command's own

	Flag   string // the command's; empty: there is none
	NoFlag string // why not
	Usage  string // of the flag; empty: the command's flag has other values than the key, or texts of its own
}

// Kind says which values a setting has.
type Kind uint8

const (
	Switch     Kind = iota // 1 or 0; without a value it is on
	Number                 // a whole number
	Size                   // bytes, as in 64MB or 64MiB
	Duration               // as in 10s or 10; 0 only where it is the default
	Choice                 // one of some words
	Share                  // in percent, or none
	Path                   // of a file
	SwitchPath             // a switch, or the path of a file, which turns it on
	Pattern                // of functions; may be repeated
	List                   // may be repeated; who uses it checks it
	Text                   // who uses it checks it
)

// Of says what a setting is for: one thing, or several.
type Of uint8

const (
	Recording  Of = 1 << iota // a recording
	Statistics                // statistics: if it is for nothing else, it has them gathered
	Printing                  // calls that are printed as they happen
	Traces                    // traces that are gathered in the program
	Tests                     // what waymark test asks of test binaries
	Values                    // arguments and results; builds have it, too
	Program                   // what happens at all
)

const path = " `%p`, `%n` and `%%` are as in `o`."

// All are the settings, in the order of docs/reference.md.
var All = []Setting{
	{Key: "record", Of: Program, NoFlag: "waymark record does it",
		Means: "Record every call of every instrumented function."},
	{Key: "stats", Of: Program, NoFlag: "waymark run does it",
		Means: "Gather [statistics](statistics.md) of all functions. " +
			"`count`, `histogram`, `tree`, `i`, `top`, `names` and `report` do this, too. So do `p`, `x` and `objects`, unless `record` is given."},
	{Key: "include", Short: "p", Kind: Pattern, Of: Program, NoFlag: "--include of builds says what is instrumented",
		Means: "A [pattern](usage.md#choose-functions) of the counted functions; may be repeated. " +
			"With `record`: a group, as in `p=@IO`, and only its calls are recorded."},
	{Key: "exclude", Short: "x", Kind: Pattern, Of: Program, NoFlag: "--exclude of builds says what is instrumented",
		Means: "A pattern of functions that are not counted; may be repeated. Not with `record`."},
	{Key: "print", Short: "t", Kind: Pattern, Of: Printing,
		Means: "A pattern of the functions whose calls are printed on stderr as they happen; may be repeated.",
		Flag:  "print", Usage: "print beginning and end of the calls of functions that match `PATTERN`, with callers (repeatable)"},
	{Key: "verbose", Short: "d", Kind: Number, Most: 4, Default: "1", Of: Printing, Flag: "verbose",
		Means: "Details of these calls, 0 to 4; default 1. See [calls as they happen](statistics.md#calls-as-they-happen)."},
	{Key: "if", Kind: Text, Of: Printing, Flag: "if",
		Means: "A condition on these calls, in the encoding that `waymark run --if` writes: see [conditions](conditions.md)."},
	{Key: "count", Of: Statistics,
		Means: "Count calls, and read no clock.",
		Flag:  "calls-only", Usage: "count calls only, and read no clock"},
	{Key: "histogram", Of: Statistics,
		Means: "Gather distributions of durations, too.",
		Flag:  "histogram", Usage: "gather distributions of durations, too: p50, p90, p99, p99.9"},
	{Key: "tree", Of: Statistics,
		Means: "Add the calls up by call path, too: the [call tree](statistics.md#the-call-tree).",
		Flag:  "tree", Usage: "print the call tree: calls, total and self time of each call path"},
	{Key: "objects", Of: Recording | Statistics,
		Means: "Count heap [objects](statistics.md#objects) by type and function, too: in statistics, or with `record` in the recording.",
		Flag:  "objects", Usage: "count heap objects by type, and by the functions that make them"},
	{Key: "every", Short: "i", Kind: Duration, Want: "0 or a time, as in 10s", Default: "0s", Of: Statistics,
		Means: "Time between two reports, a number without a unit is seconds; 0 is one report at the end.",
		Flag:  "every", Usage: "print a report every `DURATION`, too; 0 is never"},
	{Key: "top", Kind: Number, Most: math.MaxInt32, Default: "10", Of: Statistics, Flag: "top",
		Means: "Rows of each list of a report; default 10, 0 is all."},
	{Key: "names", Kind: Choice, Choices: []string{"short", "full"}, Default: "short", Of: Statistics, Flag: "names",
		Means: "`short`, as far as names stay unique (default), or `full`."},
	{Key: "report", Kind: Text, Want: "text or json, or as in json:FILE, json:3", Of: Statistics, NoFlag: "the command prints its own report",
		Means: "`text` (default) or `json`, written to stderr. `json:FILE` appends to a file, `json:3` writes to a descriptor." + path},
	{Key: "latest", Kind: Path, Of: Statistics, NoFlag: "waymark run reads what the program writes there"},
	{Key: "seen", Kind: SwitchPath, Of: Program, Flag: "seen",
		Means: "Note the [first calls](seen.md) of functions, in the file `o`, or `waymark.seen`. As in `seen=FILE` beside a " +
			"recording. `p` and `x` choose the functions."},
	{Key: "traces", Kind: Pattern, Of: Traces,
		Means: "A pattern of the functions whose calls begin [traces](traces.md), such as [`@http`](traces.md#roots-by-themselves); may be repeated. The program prints the traces on stderr when it ends.",
		Flag:  "traces", Usage: "instead of a report print the slowest traces, which begin with calls of functions that match `PATTERN`, such as @http (repeatable)"},
	{Key: "keep", Kind: List, Want: "slowest:N, slowest:N/PERIOD, p99, failed, status:404, path:/order*, method:POST, longer:DURATION, onein:N or all, as in keep=slowest:20", Of: Traces,
		Means: "Which traces are kept: `slowest:N`, `slowest:N/PERIOD`, `p99`, `failed`, `status:404`, `path:/order*`, `method:POST`, `longer:DURATION`, `onein:N` or `all`; several add up. Default `slowest:20`.",
		Flag:  "keep", Usage: "with --traces keep `THESE`: slowest:N, slowest:N/PERIOD, p99, failed, status:404, path:/order*, method:POST, longer:DURATION, onein:N or all (repeatable; default slowest:20)"},
	{Key: "otlp", Kind: Text, Want: "the URL of a collector, as in http://collector:4318 or grpc://collector:4317", Of: Traces,
		Means: "Send kept traces [to a collector](traces.md#to-a-collector) as in `otlp=http://collector:4318`, instead of printing them. " +
			"Without a value, to `OTEL_EXPORTER_OTLP_ENDPOINT`.",
		Flag: "otlp", Usage: "with --traces send the traces to the collector at `URL` instead of printing them, as in http://collector:4318 or grpc://collector:4317"},
	{Key: "counts", Kind: Path, Of: Tests, Flag: "counts",
		Means: "Write to a file how often each test calls each function, for [waymark test --counts](gates.md). Not with `seen`." + path},
	{Key: "socket", Kind: SwitchPath, Of: Program, NoFlag: "waymark build has programs listen",
		Means: "Let [waymark's commands](live.md) look into the program, through a socket in the user's folder, or as in " +
			"`socket=PATH`." + path + " Default in programs of `waymark build`. Linux only."},
	{Key: "agent", Of: Program, NoFlag: "waymark build has programs listen",
		Means: "1: as `socket`; 0: no socket."},
	{Key: "suspend", Of: Program, NoFlag: "another command resumes the program",
		Means: "Wait before the program's first init function until [waymark resume](live.md#from-the-first-call-on)."},
	{Key: "usdt", Default: "1", Of: Program, NoFlag: "--usdt of builds says which functions have probes",
		Means: "0: no [probes](probes.md#turned-off) for tracers of the system, also none of [functions](usdt.md#turned-off), also in plain builds."},
	{Key: "output", Short: "o", Kind: Path, Default: "waymark.wmt", Of: Recording, Flag: "output",
		Means: "The trace file; default `waymark.wmt`. Without `record` it is the file of `seen`, or that of `traces`, which are saved in XML instead of being printed. `%p` stands for the process id, `%n` for the program's name, `%%` for a percent sign."},
	{Key: "overflow", Kind: Choice, Choices: []string{"block", "drop", "ring"}, Default: "block", Of: Recording, Live: true,
		Means: "When the writer can't keep up: `block` (default) waits, `drop` drops and counts, `ring` keeps [the newest calls](usage.md#keep-the-newest-calls-only).",
		Flag:  "overflow", Usage: "when the writer can't keep up: block or drop; or ring: keep the newest calls in memory until the program dies or dumps them"},
	// Less has no chunk for each of a few Ps, and no reserve for the hooks that can't wait. Only a ring takes
	// all of the memory at once.
	{Key: "buffers", Kind: Size, Least: 2 << 20, Most: math.MaxInt, Unit: ", and what memory holds", Default: "64MiB", Of: Recording, Live: true,
		Means: "Memory for buffers, as in `67108864`, `64MB` or `64MiB`; default 64 MiB. It is raised if the number of CPUs needs more.",
		Flag:  "buffers", Usage: "`BYTES` of memory for buffers, as in 256MB or 256MiB"},
	{Key: "window", Kind: Duration, Want: "a time above 0, as in 10s or 500ms", Of: Recording, Live: true,
		Means: "With a ring, write only the last part of this duration, as in `10s`.",
		Flag:  "window", Usage: "with a ring, write only the last `DURATION`, as in 10s"},
	{Key: "dump-at-exit", Of: Recording, Live: true,
		Means: "Write the ring when the program ends normally, too.",
		Flag:  "dump-at-exit", Usage: "write the ring when the program ends normally, too"},
	{Key: "max-size", Kind: Size, Least: 1e6, Of: Recording, Live: true, // less has no room for the sites of a large program
		Means: "End recording when the file has this size.",
		Flag:  "max-size", Usage: "end recording when the file has `BYTES`, as in 1GB"},
	{Key: "rotate", Kind: Number, Least: 1, Most: math.MaxInt, Want: "the number of parts to keep, 1 or more", Of: Recording, Live: true,
		Means: "At `max-size` begin a new file, and keep this number of the newest files.",
		Flag:  "rotate", Usage: "at --max-size begin a new file, and keep the newest `N`"},
	{Key: "waiting", Of: Recording | Statistics, Live: true,
		Means: "Record when goroutines run, are ready and [wait](usage.md#see-what-calls-wait-for), and for what; statistics have it by function.",
		Flag:  "waiting", Usage: "record when goroutines run, are ready and wait, and for what"},
	{Key: "budget", Kind: Share, Want: "a share of the program's CPU time, as in 10% or 3%,strict; or 0, which only counts calls; or none", Default: "none", Of: Recording | Statistics, Live: true,
		Means: "Share that tracing may add to the program's CPU time, as in `10%`. The functions that cost most are " +
			"[demoted](budget.md): their calls are counted. With `3%,strict` numbers of calls are [estimated](budget.md#a-strict-budget), too, where counting costs too much. `0` counts all calls; default `none`.",
		Flag: "budget", Usage: "demote the functions that cost most, so that tracing adds about `SHARE` to CPU time, as in 5%; their calls are counted; 5%,strict: estimate numbers of calls, too, where counting costs too much; none: record all"},
	{Key: "disk", Kind: Size, Least: 64e6, Of: Tests, // less has no room for the sites and the buffers of a program
		Means: "Bytes for the recordings of tests in one folder: the space of passed tests, and of the middle of long tests, is reclaimed.",
		Flag:  "disk", Usage: "with --trace, `BYTES` of disk for all recordings; space of passed tests is reclaimed"},
	{Key: "timeout", Kind: Duration, Want: "a time above 0, as in 10m", Of: Tests, NoFlag: "go test has -timeout",
		Means: "The timeout of `go test`, which does not include the time of recording; for `waymark test`."},
	{Key: "args", Default: "1", Of: Values, Flag: "args",
		Means: "0: don't record the arguments that the program was built to record."},
	{Key: "results", Default: "1", Of: Values, Flag: "results",
		Means: "0: don't record the results that the program was built to record."},
	{Key: "stringers", Default: "1", Of: Values, Flag: "stringers",
		Means: "0: don't run the methods `String` and `Error` of a program built with `--stringers`."},
	{Key: "arg-depth", Kind: Number, Most: format.MaxDepth, Default: "2", Of: Values,
		Means: "Depth to which values are followed.",
		Flag:  "arg-depth", Usage: "follow structs, slices and pointers in values to depth `N`"},
	{Key: "arg-bytes", Kind: Number, Most: format.MaxBytes, Default: "256", Of: Values,
		Means: "Recorded bytes of each value at most.",
		Flag:  "arg-bytes", Usage: "record at most `N` bytes of each value"},
	{Key: "redact-type", Kind: List, Of: Values, Flag: "redact-type",
		Means: "Mask values of types with this name, too, as in `pay.Card`."},
	{Key: "redact", Kind: List, Default: format.DefaultRedact, Of: Values, Flag: "redact",
		Means: "Mask fields whose names have this word. The build masks parameters."},
}

// Find returns the setting with a key, or with its short form; nil if there is none.
func Find(key string) *Setting {
	for i := range All {
		if s := &All[i]; s.Key == key || s.Short == key && key != "" {
			return s
		}
	}
	return nil
}

// Former returns the key that has taken the place of one of earlier checkouts, "" if there is none.
func Former(key string) string {
	switch key {
	case "out", "traces-out":
		return "output"
	}
	return ""
}

// Keys returns all keys and their short forms.
func Keys() (list []string) {
	for _, s := range All {
		if list = append(list, s.Key); s.Short != "" {
			list = append(list, s.Short)
		}
	}
	return list
}
