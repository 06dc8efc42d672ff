package control

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Version is that of the protocol. It changes when an old side would misunderstand a new one; fields
// that may be ignored are added without.
const Version = 1

// Upgrade is the name of the protocol for HTTP, whose connections it takes over.
const Upgrade = "waymark"

// MaxMessage is the largest length of a message, bytes.
const MaxMessage = 1 << 20

// What a Request may ask for.
const (
	DoStatus = "status"
	DoOn     = "on"
	DoOff    = "off"
	DoReset  = "reset"  // ends all that commands have switched on, watch and record
	DoWatch  = "watch"  // calls of Targets: News says what happens
	DoRecord = "record" // calls of Targets, or of all functions, to Path
	DoNext   = "next"   // News of the connection's watch or recording
	DoStop   = "stop"   // ends the connection's watch or recording, with its last News
	DoDump   = "dump"   // writes the window of the flight recorder
	DoCalls  = "calls"  // calls that watches with Keep have kept
	DoSeen   = "seen"   // first calls of all functions are noted in Path, until a reset
	DoResume = "resume" // lets a suspended program go on
	DoList   = "list"   // what may be Targets: groups and packages, or the functions of Targets
)

// A Request is what a client wants. The Response says how it went.
type Request struct {
	Version int      `json:"version"`
	Do      string   `json:"do"`
	Targets []string `json:"targets,omitempty"` // patterns, and groups as @NAME
	Monitor string   `json:"monitor,omitempty"` // on: stats, record or print
	Keep    bool     `json:"keep,omitempty"`    // on: stays on when the connection ends
	ForNS   int64    `json:"for_ns,omitempty"`  // on with Keep, watch, record: until so many ns are over; 0: no limit
	WaitNS  int64    `json:"wait_ns,omitempty"` // next: how long to wait for news; at most a minute

	Watch    *Watch `json:"watch,omitempty"`
	Calls    *Query `json:"calls,omitempty"`
	Path     string `json:"path,omitempty"`     // record, seen: the file; absolute
	Settings string `json:"settings,omitempty"` // record: of the recording, as WAYMARK has them
}

// A Response answers a Request. Error is nil, or all but Lacking is empty.
type Response struct {
	Version int     `json:"version"`
	Error   *Error  `json:"error,omitempty"`
	Lacking []Lack  `json:"lacking,omitempty"` // beside an Error: targets that name nothing
	Status  *Status `json:"status,omitempty"`
	Change  *Change `json:"change,omitempty"`
	News    *News   `json:"news,omitempty"`
	Calls   *Kept   `json:"calls,omitempty"`
	List    *List   `json:"list,omitempty"`
}

// Codes of errors.
const (
	CodeVersion   = "version"   // the client speaks another version
	CodeRequest   = "request"   // the request makes no sense
	CodeTarget    = "target"    // a target names nothing
	CodeForbidden = "forbidden" // a policy of the program is against it
	CodeState     = "state"     // not now: nothing is recorded, or too much is on
)

// An Error is why a request was refused. Nothing has changed then.
type Error struct {
	Code string `json:"code"`
	Text string `json:"text" text:"lines"`
}

func (e *Error) Error() string { return e.Text }

// A Lack is a target that names no function that was instrumented.
type Lack struct {
	Target string `json:"target"`
	Near   bool   `json:"near,omitempty"` // the error names functions that come near
}

// A TargetError is an Error that says which targets name nothing.
type TargetError struct {
	Err     Error
	Lacking []Lack
}

func (e *TargetError) Error() string { return e.Err.Text }
func (e *TargetError) Unwrap() error { return &e.Err }

// A Status describes the program.
type Status struct {
	PID       int                 `json:"pid"`
	Program   string              `json:"program"` // path of the executable
	UptimeNS  int64               `json:"uptime_ns"`
	Functions int                 `json:"functions"` // that are instrumented
	Groups    []string            `json:"groups"`
	Subgroups map[string][]string `json:"subgroups,omitempty"` // of groups that contain others, directly
	Recording string              `json:"recording,omitempty"` // path of the file that is being written
	Seen      string              `json:"seen,omitempty"`      // path of the file that first calls are noted in
	Kept      int                 `json:"kept,omitempty"`      // calls, see Watch.Keep
	Suspended bool                `json:"suspended,omitempty"` // before its first init function
	Patched   *Patched            `json:"patched,omitempty"`   // it doesn't listen; nil: it does
	On        []On                `json:"on"`
}

// A Patched is what was changed in a program that doesn't listen.
type Patched struct {
	Functions int `json:"functions"` // that are patched now
	Bytes     int `json:"bytes"`     // of code that differ from the program's file
	Restored  int `json:"restored"`  // jumps that a killed waymark had left, and that have been undone
}

// An On is a target that a command has switched on.
type On struct {
	Target  string `json:"target"`
	Monitor string `json:"monitor"`
	Kept    bool   `json:"kept"`
	LeftNS  int64  `json:"left_ns,omitempty"` // until it goes; 0: no such time
}

// A List has what may be switched: groups and packages in the order of their names, or the functions
// of a request's targets. Functions are those that are instrumented.
type List struct {
	Groups    []Listed `json:"groups,omitempty"`
	Packages  []Listed `json:"packages,omitempty"`
	Functions []string `json:"functions,omitempty"` // names, in order
	Omitted   int      `json:"omitted,omitempty"`   // packages or functions that a message has no room for

	// Inlined are functions whose calls aren't seen where the compiler has inlined them, each with the number of these
	// places: in programs that are patched.
	Inlined []Listed `json:"inlined,omitempty"`
	More    int      `json:"more,omitempty"` // inlined ones that a message has no room for
}

// A Listed is a group, a package, or a function that is inlined.
type Listed struct {
	Name      string   `json:"name"`
	Functions int      `json:"functions"` // of a group with those of its subgroups; places where a function is inlined
	Subgroups []string `json:"subgroups,omitempty"`
}

// A Change is what a request has done.
type Change struct {
	Functions int   `json:"functions"` // that the targets name
	Packages  int   `json:"packages"`
	TookNS    int64 `json:"took_ns"`

	Path string `json:"path,omitempty"` // record, dump, seen: the file
	Note string `json:"note,omitempty"` // watch: calls of which functions the condition can't hold for
}

// ErrGarbage is the error of bytes that are no message.
var ErrGarbage = errors.New("this is not waymark's protocol")

// Write writes a message.
func Write(w io.Writer, message any) error {
	b, err := encode(message)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// encode returns the bytes of a message.
func encode(message any) ([]byte, error) {
	b, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxMessage {
		return nil, fmt.Errorf("a message has %d bytes: want at most %d", len(b), MaxMessage)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...), nil
}

// Read reads a message. It returns io.EOF if the other side has ended in between two messages, and
// an error that wraps ErrGarbage if the bytes are no message.
func Read(r io.Reader, message any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n == 0 || n > MaxMessage {
		return fmt.Errorf("%w: a message of %d bytes", ErrGarbage, n)
	}
	// What hasn't come needs no memory, whatever length was announced.
	b, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return err
	}
	if len(b) < int(n) {
		return io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(b, message); err != nil {
		return fmt.Errorf("%w: %v", ErrGarbage, err)
	}
	return nil
}
