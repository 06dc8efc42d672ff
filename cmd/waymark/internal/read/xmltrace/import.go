package xmltrace

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"

	"github.com/waymark-go/waymark/internal/wire/actions"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// Is reports whether the file of that name begins like a file in XML.
func Is(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<"))
}

// A File is a recording in a temporary file.
type File struct {
	*tracefile.File
	temporary *os.File
}

// named is a temporary file under the name of the file that its content is made of.
type named struct {
	*os.File
	name string
}

func (n named) Name() string { return n.name }

// Close closes the recording and removes its file.
func (f *File) Close() error {
	err := f.temporary.Close()
	os.Remove(f.temporary.Name()) // on Unix it is gone
	return err
}

// Open makes a recording of the file of that name, in a temporary file, and opens it. A file that is
// damaged or cut is read up to there: damage says what is wrong. It is nil for a whole file.
func Open(name string) (f *File, damage, err error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	out, err := os.CreateTemp("", "waymark-xml")
	if err != nil {
		return nil, nil, err
	}
	os.Remove(out.Name()) // Windows removes no open file: there Close does it
	f = &File{temporary: out}
	if damage, err = convert(in, out, name); err == nil {
		var info os.FileInfo
		if info, err = out.Stat(); err == nil {
			f.File, err = tracefile.NewFile(named{out, name}, info.Size())
		}
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if damage != nil {
		damage = fmt.Errorf("%s: %w: %v", name, tracefile.ErrDamaged, damage)
	}
	return f, damage, nil
}

// convert writes a recording to out. damage says why not all of the input is in it.
func convert(in io.Reader, out *os.File, name string) (damage, err error) {
	w := newWriter(out, name)
	d := xml.NewDecoder(bufio.NewReaderSize(in, 1<<16))
	d.Strict = false // of a text that is cut within an entity it returns the beginning
	unit := int64(1_000_000)
	inFile, known := false, false
	for {
		token, err := d.Token()
		if err == io.EOF && known {
			break
		}
		if err != nil {
			if !known {
				return nil, fmt.Errorf("no trace file in XML: %w", format.ErrNotTrace)
			}
			damage = err
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch {
		case start.Name.Local == "trace-file" && !inFile:
			inFile, known = true, true
			if attribute(start, "unit") == "ns" {
				unit = 1
			}
			w.begin(attribute(start, "start"))
		case start.Name.Local == "trace" && inFile:
			text, textErr := content(d)
			err := w.trace(start, text, unit, textErr == nil)
			if damage = errors.Join(damage, textErr); err != nil {
				var bad badAction
				if !errors.As(err, &bad) {
					return nil, err
				}
				if damage == nil {
					damage = bad
				}
			}
			if textErr != nil {
				return damage, w.close()
			}
		case !known:
			return nil, fmt.Errorf("XML, but its first element is %s, not trace-file: %w", start.Name.Local, format.ErrNotTrace)
		default:
			d.Skip() // of a later version
		}
	}
	return damage, w.close()
}

// content returns the text up to the end of the element.
func content(d *xml.Decoder) (text []byte, err error) {
	for {
		token, err := d.Token()
		if err != nil {
			return text, err
		}
		switch t := token.(type) {
		case xml.CharData:
			text = append(text, t...)
		case xml.StartElement:
			if err := d.Skip(); err != nil {
				return text, err
			}
		case xml.EndElement:
			return text, nil
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// A badAction is an action that can't be understood.
type badAction string

func (e badAction) Error() string {
	return fmt.Sprintf("%.80q is no action: want time,START,name", string(e))
}

// action parses an action.
func action(text []byte) (time int64, a actions.Action, name string, err error) {
	parts := bytes.SplitN(bytes.TrimSpace(text), []byte(","), 3)
	if len(parts) < 3 || len(parts[2]) == 0 {
		return 0, "", "", badAction(text)
	}
	time, err = strconv.ParseInt(string(bytes.TrimSpace(parts[0])), 10, 64)
	a = actions.Action(bytes.TrimSpace(parts[1]))
	if err != nil || time < 0 || a != actions.Start && a != actions.End && a != actions.Exception {
		return 0, "", "", badAction(text)
	}
	name, err = url.PathUnescape(string(parts[2]))
	if err != nil { // of a tool that doesn't escape
		name = string(parts[2])
	}
	return time, a, name, nil
}
