// Package hook names what rewritten code uses of the hooks in package runtime:
//
//	fmt.Fprintf(&b, "%s.%s(%s)", runtime, hook.Enter, site) // wm_rt.WMEnter(wm_sites[3])
//
// Every name that package instrument writes into a program stands here. The hooks themselves are
// in package toolchain, whose tests compare them with Signatures.
package hook

// Types.
const (
	Site    = "WMSite"    // the word that a function checks at entry
	Frame   = "WMFrame"   // a call in progress
	Package = "WMPackage" // files that are compiled together, with their sites
	Word    = "WMWord"    // uint64, by a name that programs don't give another meaning
	Masked  = "WMMasked"  // passed in place of a value that looks secret
	Probe   = "WMProbe"   // an element of a unit's table of probes
)

// Fields of Package that generated code sets.
const (
	Sites    = "Sites"
	Table    = "Table"
	Settings = "Settings"
	Probes   = "Probes"

	Providers = "Providers"
)

// Provider is the type of the elements of Providers: a struct type whose probes have locations.
const (
	Provider       = "WMProvider"
	ProviderType   = "Type"
	ProviderName   = "Name"
	ProviderProbes = "Probes"
	ProviderAt     = "At"
)

// Functions that a package calls when it is initialised.
const (
	Register = "WMRegister" // with its Package
	Bind     = "WMBind"     // with its Package and its groups
)

// Light reports whether calls of a site with that word may be nothing but a count, or nothing at all.
// Done is for these: it counts the call, if that is wanted, and reports whether nothing more is to be
// done. It isn't if the goroutine's calls are gathered. Both are inlined.
const (
	Light = "WMLight"
	Done  = "WMDone"
)

// Valued reports whether anybody wants the values of calls of a site with that word. It is inlined.
const Valued = "WMValued"

// Functions for the beginning of a call. Each returns the call's Frame, 0 if nobody wants to know
// of its end.
const (
	Enter        = "WMEnter"
	EnterArgs    = "WMEnterArgs"    // with receiver and arguments
	EnterStrings = "WMEnterStrings" // with the same, to be recorded as text
	EnterInts    = "WMEnterInts"    // with up to MaxInts integers
)

// Begins reports whether a call begins a trace. It is inlined. Within then takes those arguments of the call
// that may name the span that it is in.
const (
	Begins = "WMBegins"
	Within = "WMWithin"
)

// Functions for the end of a call.
const (
	Exit        = "WMExit"
	ExitError   = "WMExitError"   // of a call that returns an error or nil
	ExitResults = "WMExitResults" // with results
	ExitStrings = "WMExitStrings" // with results, to be recorded as text
	ExitInts    = "WMExitInts"    // with up to MaxInts integers
	Error       = "WMError"       // before the exit of a call whose last result is an error
)

// Functions for the end of a call that is reported by a deferred call: they take pointers to
// results. Where nothing is known of results it is Exit.
const (
	ExitDeferredError   = "WMExitDeferredError"
	ExitDeferred        = "WMExitDeferred"
	ExitDeferredStrings = "WMExitDeferredStrings"
)

// Info reports a call of an info function.
const Info = "WMInfo"

// Functions for calls of a function with USDT probes, while a tracer of the system is attached. They
// take a pointer to the function's Probe.
const (
	EnterProbed  = "WMEnterProbed"  // in place of those for the beginning; with receiver and arguments
	ReturnProbed = "WMReturnProbed" // before those for the end; with results
	ExitProbed   = "WMExitProbed"   // in place of those for the end, in a deferred call; with pointers to results

	// The same where values are to be recorded as text.
	EnterProbedStrings = "WMEnterProbedStrings"
	ExitProbedStrings  = "WMExitProbedStrings"
)

// What EnterProbed and ExitProbed do with the values besides: how they are recorded.
const (
	ProbeNoValues = 0
	ProbeValues   = 1
	ProbeError    = 2 // of the results, only whether the last one is an error
	ProbeSkip     = 3 // times as much as the number of values, at the beginning, that probes don't pass
)

// MaxInts is how many integers EnterInts and ExitInts take.
const MaxInts = 4

// Signatures are the types of the functions.
var Signatures = map[string]string{
	Register:            "func(*WMPackage) bool",
	Bind:                "func(*WMPackage, ...any) bool",
	Light:               "func(WMSite) bool",
	Done:                "func(WMSite) bool",
	Valued:              "func(WMSite) bool",
	Enter:               "func(WMSite) WMFrame",
	EnterArgs:           "func(WMSite, ...any) WMFrame",
	EnterStrings:        "func(WMSite, ...any) WMFrame",
	EnterInts:           "func(WMSite, uint64, uint64, uint64, uint64, uint64) WMFrame",
	Begins:              "func(WMFrame) bool",
	Within:              "func(WMFrame, ...any)",
	Exit:                "func(WMFrame)",
	ExitError:           "func(WMFrame, error)",
	ExitResults:         "func(WMFrame, ...any)",
	ExitStrings:         "func(WMFrame, ...any)",
	ExitInts:            "func(WMFrame, uint64, uint64, uint64, uint64, uint64)",
	Error:               "func(WMFrame, error)",
	ExitDeferredError:   "func(WMFrame, *error)",
	ExitDeferred:        "func(WMFrame, ...any)",
	ExitDeferredStrings: "func(WMFrame, ...any)",
	EnterProbed:         "func(*WMProbe, uint64, ...any) WMFrame",
	ReturnProbed:        "func(*WMProbe, ...any)",
	ExitProbed:          "func(*WMProbe, WMFrame, uint64, ...any)",
	EnterProbedStrings:  "func(*WMProbe, uint64, ...any) WMFrame",
	ExitProbedStrings:   "func(*WMProbe, WMFrame, uint64, ...any)",
	Info:                "func(WMSite, ...any)",
}
