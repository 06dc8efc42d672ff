package mcp

import "cmp"

// A tool is a command with some of its flags.
type tool struct {
	name, about string
	command     []string
	params      []param

	changes bool   // it writes files or runs the user's code
	mixed   bool   // the answer is text on stdout and stderr
	text    bool   // the answer is text, else JSON
	list    string // member of the JSON object whose elements are rows
	json    string // the --format of such an answer; empty: json
	mayFail bool   // an exit status other than 0 is an answer

	hint    string // what to do if the command fails
	nothing string // what to say if there is no answer

	make func(a *arguments, out []byte) ([]string, error) // makes rows of the output; nil: as text and list say
}

// form returns the value of --format, "" if the command has none.
func (t *tool) form(a *arguments) string {
	switch {
	case t.mixed:
		return ""
	case t.text || a.text("key") != "": // a tree for people takes fewer words than one in JSON
		return "text"
	}
	return cmp.Or(t.json, "json")
}

// rows returns what a command has printed, by rows.
func (t *tool) rows(a *arguments, out []byte) ([]string, error) {
	switch {
	case t.make != nil:
		return t.make(a, out)
	case t.form(a) == cmp.Or(t.json, "json"):
		return objects(out, t.list)
	}
	return split(out), nil
}

// Limits, the same as the commands' own.
const (
	mostHits    = 100
	mostSeconds = 600
	mostLevels  = 1000
)

// Params that several tools have.
var (
	process   = param{name: "process", kind: word, need: true, about: "id of the process, as ps lists it, or the name of its program; an address only if the user gave it to the server"}
	functions = param{name: "functions", kind: words, need: true, about: "patterns: main.handle, store.Put, example.com/m/store.(*Store).Put, example.com/m/..., @GROUP"}
	condition = param{name: "if", kind: word, flag: "--if", about: "only calls for which this holds: args[0] > 10 && args.name == \"x\", duration > 10ms, panic != nil, results[1] != nil"}
	least     = param{name: "min", kind: duration, flag: "--min", about: "only what took this or longer, as 10ms"}
	hits      = param{name: "n", kind: number, flag: "--limit", about: "ends after so many calls", usual: 10, most: mostHits}
	length    = param{name: "for", kind: duration, flag: "--for", about: "ends after this time", usual: "10s", most: mostSeconds}
	sockets   = param{name: "sockets", kind: word, flag: "--dir", about: "folder of sockets, as where a container's are mounted"}

	files   = param{name: "files", kind: words, need: true, about: "recordings (.wmt) of one program"}
	include = param{name: "include", kind: words, flag: "--include", about: "only functions that match these patterns; numbers stay what they are"}
	exclude = param{name: "exclude", kind: words, flag: "--exclude", about: "without functions that match these patterns"}
	root    = param{name: "root", kind: word, flag: "--root", about: "only below calls of functions that match this pattern"}
	window  = param{name: "time", kind: word, flag: "--time", about: "only this time since the start: 1.5s..2s"}
	depth   = param{name: "depth", kind: number, flag: "--depth", about: "levels of calls", usual: 5, most: mostLevels}

	folder   = param{name: "dir", kind: word, flag: own, about: "folder to work in; default: the server's"}
	packages = param{name: "packages", kind: words, about: "as the go command takes them", usual: []string{"."}}
	chosen   = param{name: "include", kind: words, flag: "--include", about: "functions and packages to instrument; default: those of the main module"}
	race     = param{name: "race", kind: yes, flag: "-race", about: "with the race detector"}
	small    = param{name: "all", kind: yes, flag: "--all", about: "tiny functions too, which are left out else"}

	rowLimit  = param{name: "rows", kind: number, flag: own, about: "rows of the answer at most", usual: 20, most: 1000}
	byteLimit = param{name: "bytes", kind: number, flag: own, about: "bytes of the answer at most", usual: 16 << 10, most: 256 << 10}
)

// noConfig is for tools that only read: a file in the folder doesn't change what they do.
const noConfig = "--config=off"

const (
	hintLive = "ps lists the programs that can be looked into, and status says what is on in one"
	hintFile = "want recordings of waymark record, or of test with output; dir is the folder of relative names"
	noCalls  = "no call was seen: is the program doing that now? Wait longer by for, or ask top what is called"
)

// tools are all tools. Those of live programs are first: they need no preparation by the agent.
var tools = []*tool{
	{
		name: "ps", about: "Lists running programs that waymark can look into: pid, program, functions, what is on.",
		command: []string{"ps"}, params: []param{sockets, rowLimit, byteLimit},
		nothing: "no program listens: build one with waymark build --args --results, and start it",
	},
	{
		name: "status", about: "Says what is on in a running program: groups, targets, recording.",
		command: []string{"status"}, params: []param{process, sockets, rowLimit, byteLimit}, hint: hintLive,
	},
	{
		name: "top", about: "Times the functions of a running program for a while, and lists those that took the most time.",
		command: []string{"top", "--limit=1", "--top=0"},
		params: []param{process, {name: "functions", kind: words, about: "patterns; default: all that are instrumented"},
			{name: "for", kind: duration, flag: "--every", about: "how long", usual: "2s", most: mostSeconds},
			{name: "sort", kind: word, flag: "--sort", about: "total, self, calls, avg, max, panics, errors, running, runnable or waiting", usual: "total"}, sockets, rowLimit, byteLimit},
		hint: hintLive, nothing: noCalls,
	},
	{
		name: "watch", about: "Shows calls of functions in a running program, one a row: arguments, results, panic, duration, goroutine.",
		command: []string{"watch"},
		params: []param{process, functions, condition, least,
			{name: "on", kind: words, flag: "--on", about: "enter, exit, return or panic; default exit"},
			{name: "caller", kind: yes, flag: "--caller", about: "who made each call"}, hits, length, sockets, rowLimit.usually(mostHits), byteLimit},
		hint: hintLive, nothing: noCalls,
	},
	{
		name: "trace", about: "Shows what calls of a function did in a running program: the tree of calls with times, through the goroutines that they started.",
		command: []string{"trace"}, text: true,
		params: []param{process, functions, least, {name: "on", kind: words, flag: "--on", about: "panic: only calls that panicked"},
			hits.usually(1), length, sockets, rowLimit.usually(200), byteLimit},
		hint: hintLive, nothing: noCalls,
	},
	{
		name: "stack", about: "Counts who calls functions in a running program: whole stacks, the most frequent first.",
		command: []string{"stack"},
		params:  []param{process, functions, condition, hits.usually(mostHits), length.usually("5s"), sockets, rowLimit.usually(10), byteLimit},
		hint:    hintLive, nothing: noCalls,
	},
	{
		name: "monitor", about: "Gives numbers of functions' calls by period in a running program: calls, panics, average, minimum, maximum, p99.",
		command: []string{"monitor"},
		params: []param{process, functions, condition, {name: "every", kind: duration, flag: "--every", about: "length of a period", usual: "2s", most: mostSeconds},
			length.usually("6s"), sockets, rowLimit, byteLimit},
		hint: hintLive, nothing: noCalls,
	},
	{
		name: "reached", about: "Which concrete types did calls of an interface's method reach in a running program, from where, and with what arguments and results? " +
			"A row for each type. Types whose method is not instrumented are not seen: tiny methods need a build with all.",
		command: []string{"watch", "--caller"}, make: reached,
		params: []param{process, {name: "method", kind: word, need: true, about: "name of the method: Charge, or Gateway.Charge", as: methodPattern},
			{name: "caller", kind: word, flag: own, about: "only calls by functions whose name contains this"},
			condition, hits.usually(mostHits), length, sockets, rowLimit, byteLimit},
		hint:    hintLive + "; an interface's own name is nowhere in the program: only its methods on concrete types are",
		nothing: noCalls + "; with caller: is it a part of the function's name?",
	},
	{
		name: "report", about: "Lists the functions of recordings with calls, times, panics; those with the greatest total time first.",
		command: []string{"report", noConfig}, list: "functions",
		params: []param{files, {name: "sort", kind: word, flag: "--sort", about: "total, self, calls, avg, max, panics or errors", usual: "total"},
			include, exclude, least, window, folder, rowLimit, byteLimit},
		hint: hintFile,
	},
	{
		name: "tree", about: "Gives the call tree of recordings: who calls what, with calls and times. Rows have id, parent and depth.",
		command: []string{"tree", noConfig}, list: "nodes", json: "rows",
		params: []param{files, root, {name: "callers", kind: word, flag: "--callers", about: "the tree of who calls functions that match this pattern"},
			include, exclude, least, window, depth, folder, rowLimit.usually(60), byteLimit},
		hint: hintFile,
	},
	{
		name: "traces", about: "Lists the slowest requests of recordings; or prints the calls of one, by the key that the list has.",
		command: []string{"traces", noConfig},
		params: []param{files, {name: "key", kind: word, about: "of a trace in the list"}, root, least,
			{name: "failed", kind: yes, flag: "--failed", about: "only those that returned an error or panicked"},
			{name: "top", kind: number, flag: "--top", about: "how many", usual: 20, most: 1000}, window,
			{name: "args", kind: yes, flag: "--args", about: "with key: arguments of calls, where they were recorded"},
			{name: "depth", kind: number, flag: "--depth", about: "levels of calls, with key", most: mostLevels}, folder, rowLimit.usually(200), byteLimit},
		hint: hintFile,
	},
	{
		name: "test", about: "Runs tests and shows what each failed one did: the tree of its calls with arguments and results. Needs --allow-changes.",
		command: []string{"test", "--trace"}, changes: true, mixed: true, mayFail: true,
		params: []param{packages, {name: "run", kind: word, flag: "-run", about: "regular expression: tests to run"}, chosen, race,
			{name: "lines", kind: number, flag: "--lines", about: "lines of each test at most", usual: 80, most: 10000}, {name: "depth", kind: number, flag: "--depth", about: "levels of calls", most: mostLevels},
			{name: "output", kind: word, flag: "--output", about: "folder to keep the recordings in, for report, tree and traces"}, folder, rowLimit.usually(300), byteLimit},
	},
	{
		name: "build", about: "Builds an instrumented program, which costs next to nothing until it is looked into. Needs --allow-changes.",
		command: []string{"build", "--args", "--results"}, changes: true, mixed: true,
		params:  []param{packages, {name: "output", kind: word, flag: "-o", need: true, about: "path of the program"}, chosen, small, race, folder, rowLimit.usually(100), byteLimit},
		nothing: "built",
	},
}
