package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
)

// A nodeWriter writes the nodes of a tree as JSON objects without recursion, unlike encoding/json.
type nodeWriter struct {
	*bufio.Writer
	rows    []*Row
	names   [][]byte // by row, quoted
	waits   bool     // when goroutines ran is known
	columns []calls.Column
}

func (r *Report) newNodeWriter(w io.Writer) *nodeWriter {
	return &nodeWriter{bufio.NewWriter(w), r.rows, make([][]byte, len(r.rows)), r.pathsWait(), r.tree.Columns(r.makes())}
}

// numbers writes the members that every node has, in lines with the given indentation, or in one.
func (w *nodeWriter) numbers(n *calls.Node, indent string) {
	if w.names[n.Row] == nil {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.Encode(w.rows[n.Row].Name) // a string has no errors
		w.names[n.Row] = bytes.TrimSpace(b.Bytes())
	}
	separator := ", "
	if indent != "" {
		separator = ",\n" + indent
	}
	b := append(w.AvailableBuffer(), `"name": `...)
	b = append(b, w.names[n.Row]...)
	add := func(name string, value int64) {
		b = append(b, separator...)
		b = append(append(append(b, '"'), name...), `": `...)
		b = strconv.AppendInt(b, value, 10)
	}
	add("calls", int64(n.Sum.Calls))
	add("panics", int64(n.Sum.Panics))
	add("errors", int64(n.Sum.Errors))
	add("total_ns", n.Sum.Total)
	add("self_ns", n.Sum.Self)
	if w.rows[n.Row].Demoted {
		b = append(append(b, separator...), `"demoted": true`...)
	}
	if n.Sum.About {
		b = append(append(b, separator...), `"estimated": true`...)
	}
	if w.waits {
		for _, member := range n.Sum.Offs().JSON(n.Sum.Total, n.Sum.Self).Members() {
			b = append(append(b, separator...), member...)
		}
	}
	for i := range w.columns {
		add(w.columns[i].Key, int64(w.columns[i].Of(&n.Sum)))
	}
	w.Write(b)
}

// members returns those of v, an object, to be put into another one, whose members begin with
// indent.
func members(v any, indent string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(strings.TrimSuffix(indent, "  "), "  ")
	if err := e.Encode(v); err != nil {
		return "", err
	}
	text := strings.TrimSpace(b.String())
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")), nil
}

// writeNested writes a list of the root calls, with what they call inside of them. It returns the
// number of nodes that are too deep for that. Root calls have what is known to be missing too.
func (r *Report) writeNested(file io.Writer) (left uint64, err error) {
	const step = 4 // blanks for each level: of the list and of the object
	margin := func(depth int) string { return strings.Repeat(" ", step*min(depth, DefaultLevels)+4) }
	sum := recording.Sum(r.Recordings)
	lacks, err := members(newJSONLacks(&sum), margin(0))
	if err != nil {
		return 0, err
	}
	w := r.newNodeWriter(file)
	levels := r.levels()
	omitted := uint64(0)       // below the node of the last level
	written := make([]bool, 1) // by level: whether there is a node in the list
	w.WriteString("[")
	begin := func(depth int) {
		if written[depth] {
			w.WriteByte(',')
		}
		written[depth] = true
		w.WriteByte('\n')
	}
	// end closes a list.
	end := func(depth int) {
		if written[depth] {
			written[depth] = false
			w.WriteString("\n" + strings.TrimSuffix(margin(depth), "    "))
		}
		w.WriteByte(']')
	}
	r.walk(func(n *calls.Node, depth int) {
		if depth >= levels {
			omitted++
			return
		}
		if len(written) < depth+2 {
			written = append(written, false)
		}
		begin(depth)
		indent := margin(depth)
		w.WriteString(indent[2:] + "{\n" + indent)
		w.numbers(n, indent)
		if depth == 0 {
			w.WriteString(",\n" + indent + lacks)
		}
		w.WriteString(",\n" + indent + `"children": [`)
	}, func(n *calls.Node, depth int) {
		if depth >= levels {
			return
		}
		end(depth + 1)
		indent := margin(depth)
		if omitted > 0 {
			w.WriteString(",\n" + indent + `"omitted": ` + strconv.FormatUint(omitted, 10))
			left += omitted
			omitted = 0
		}
		w.WriteString("\n" + indent[2:] + "}")
	})
	end(0)
	w.WriteByte('\n')
	return left, w.Flush()
}

// writeFlat writes an object like that of a report, with a list of all nodes, callers before
// callees. id counts from 1. parent is the caller's id, 0 for root calls.
func (r *Report) writeFlat(file io.Writer) error {
	head, err := members(r.jsonHead(), "  ")
	if err != nil {
		return err
	}
	w := r.newNodeWriter(file)
	w.WriteString("{\n  " + head + ",\n  \"nodes\": [")
	id := 0
	var path []int // ids of the callers
	r.walk(func(n *calls.Node, depth int) {
		if id++; id > 1 {
			w.WriteByte(',')
		}
		parent := 0
		if depth > 0 {
			parent = path[depth-1]
		}
		path = append(path[:depth], id)
		w.WriteString("\n    {\"id\": " + strconv.Itoa(id) + ", \"parent\": " + strconv.Itoa(parent) + ", \"depth\": " + strconv.Itoa(depth) + ", ")
		w.numbers(n, "")
		w.WriteByte('}')
	}, nil)
	if id > 0 {
		w.WriteString("\n  ")
	}
	w.WriteString("]\n}\n")
	return w.Flush()
}
