package callgraph

import (
	"encoding/json"
	"time"
)

// The keys of these types are a contract: keys may be added, but none goes away.

type jsonTree struct {
	From         time.Time `json:"from"`
	To           time.Time `json:"to"`
	DurationNS   int64     `json:"duration_ns"`
	Sampling     *Sampling `json:"sampling,omitempty"`
	DroppedNodes int64     `json:"dropped_nodes,omitempty"`
	Untimed      int64     `json:"untimed,omitempty"`
	Notes        []string  `json:"notes,omitempty"`
	Root         *jsonNode `json:"root"`
}

type jsonNode struct {
	Func
	Calls     int64       `json:"calls,omitempty"`
	Samples   int64       `json:"samples,omitempty"`
	TotalNS   int64       `json:"total_ns"`
	SelfNS    int64       `json:"self_ns"`
	CPUNS     int64       `json:"cpu_ns,omitempty"`
	ReadyNS   int64       `json:"ready_ns,omitempty"`
	SyscallNS int64       `json:"syscall_ns,omitempty"`
	WaitingNS int64       `json:"waiting_ns,omitempty"`
	Children  []*jsonNode `json:"children,omitempty"`
}

// MarshalJSON writes all nodes. Times are in ns.
func (t *Tree) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonTree{t.From, t.To, int64(t.To.Sub(t.From)), t.Sampling, t.DroppedNodes, t.Untimed, t.Notes(), toJSON(t.Root)})
}

func toJSON(n *Node) *jsonNode {
	if n == nil {
		return nil
	}
	out := &jsonNode{
		Func: n.Func, Calls: n.Calls, Samples: n.Samples, TotalNS: int64(n.Total), SelfNS: int64(n.Self()),
		CPUNS: int64(n.CPU), ReadyNS: int64(n.Ready), SyscallNS: int64(n.Syscall), WaitingNS: int64(n.Waiting()),
	}
	for _, c := range n.Children {
		out.Children = append(out.Children, toJSON(c))
	}
	return out
}

// UnmarshalJSON reads what MarshalJSON has written.
func (t *Tree) UnmarshalJSON(b []byte) error {
	var in jsonTree
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*t = Tree{Root: fromJSON(in.Root), From: in.From, To: in.To, Sampling: in.Sampling, DroppedNodes: in.DroppedNodes, Untimed: in.Untimed}
	return nil
}

func fromJSON(in *jsonNode) *Node {
	if in == nil {
		return nil
	}
	n := &Node{
		Func: in.Func, Calls: in.Calls, Samples: in.Samples, Total: time.Duration(in.TotalNS),
		CPU: time.Duration(in.CPUNS), Ready: time.Duration(in.ReadyNS), Syscall: time.Duration(in.SyscallNS),
	}
	for _, c := range in.Children {
		n.Children = append(n.Children, fromJSON(c))
	}
	return n
}
