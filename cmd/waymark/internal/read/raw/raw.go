// Package raw prints a trace file as it is, block by block and event by event, for people who work
// on the format:
//
//	damaged, err := raw.Write(os.Stdout, file, size)
//
// It knows package format and nothing of what recordings mean: no time but ticks, no function but
// its site's id. Package tracefile is for everything else.
package raw

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Write prints the trace file r of size bytes to w. It prints a line for the header, for each
// block and each range that is damaged, with its offset in bytes. Below a block it prints what the
// block holds. Write returns how many bytes are damaged. Errors are of r and w, or wrap
// format.ErrNotTrace or format.ErrVersion.
func Write(w io.Writer, r io.ReaderAt, size int64) (damaged int64, err error) {
	out := bufio.NewWriterSize(w, 64<<10)
	p := printer{Writer: out, r: r, size: size}
	if err := p.file(); err != nil {
		return p.damaged, err
	}
	return p.damaged, out.Flush()
}

type printer struct {
	*bufio.Writer
	r       io.ReaderAt
	size    int64
	damaged int64
	buf     []byte // the block
}

func (p *printer) file() error {
	head := make([]byte, min(p.size, format.HeaderSize))
	if _, err := p.r.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	if err := format.CheckHeader(head); err != nil {
		return err
	}
	fmt.Fprintf(p, "%10d header, %d bytes: version %d\n", 0, format.HeaderSize, format.VersionOf(head))
	for off := int64(format.HeaderSize); off < p.size; {
		b, payload, damage, err := p.block(off)
		if err != nil {
			return err
		}
		if damage != nil {
			next, err := p.next(off + 1)
			if err != nil {
				return err
			}
			fmt.Fprintf(p, "%10d damaged, %d bytes: %v\n", off, next-off, damage)
			p.damaged += next - off
			off = next
			continue
		}
		fmt.Fprintf(p, "%10d %s, %d bytes, checksum good\n", off, name(b.Kind), format.BlockHeader+b.Length)
		if err := p.payload(b.Kind, payload); err != nil {
			fmt.Fprintf(p, "%12s%v\n", "", err)
			p.damaged += int64(format.BlockHeader + b.Length)
		}
		off += int64(format.BlockHeader + b.Length)
		if b.Kind == format.BlockGap {
			off += skipped(payload, p.size-off)
		}
	}
	return nil
}

// skipped returns how many bytes behind a Gap block mean nothing, of so many that there are.
func skipped(payload []byte, rest int64) int64 {
	g, err := format.ParseGap(payload)
	if err != nil || g.Skip > uint64(rest) {
		return 0
	}
	return int64(g.Skip)
}

// block reads the block at off. damage says what is wrong with the block; err is of reading.
func (p *printer) block(off int64) (b format.Block, payload []byte, damage, err error) {
	head := make([]byte, min(p.size-off, format.BlockHeader))
	if _, err := p.r.ReadAt(head, off); err != nil && err != io.EOF {
		return b, nil, nil, err
	}
	b, damage = format.ParseBlock(head)
	if damage != nil {
		return b, nil, damage, nil
	}
	if rest := p.size - off - format.BlockHeader; int64(b.Length) > rest {
		return b, nil, fmt.Errorf("%s block cut off, %d of %d bytes: %w", name(b.Kind), rest, b.Length, format.ErrDamaged), nil
	}
	if cap(p.buf) < b.Length {
		p.buf = make([]byte, b.Length)
	}
	payload = p.buf[:b.Length]
	if _, err := p.r.ReadAt(payload, off+format.BlockHeader); err != nil && err != io.EOF {
		return b, nil, nil, err
	}
	if damage := b.Check(payload); damage != nil {
		return b, nil, fmt.Errorf("%s block of %d bytes: %w", name(b.Kind), b.Length, damage), nil
	}
	return b, payload, nil, nil
}

// next returns the offset of the first good block from off on, the size of the file if there is
// none.
func (p *printer) next(off int64) (int64, error) {
	magic := format.BlockMagic()
	window := make([]byte, 64<<10)
	for off < p.size {
		n, err := p.r.ReadAt(window[:min(int64(len(window)), p.size-off)], off)
		if err != nil && err != io.EOF {
			return 0, err
		}
		at := bytes.Index(window[:n], magic)
		if at < 0 {
			off += int64(max(n-len(magic)+1, 1))
			continue
		}
		off += int64(at)
		if _, _, damage, err := p.block(off); damage == nil || err != nil {
			return off, err
		}
		off++
	}
	return p.size, nil
}

// payload prints what a block holds.
func (p *printer) payload(kind format.BlockKind, b []byte) error {
	switch kind {
	case format.BlockMeta:
		list, err := format.ParseMeta(b)
		for _, m := range list {
			p.line("%s = %q", m.Key, m.Value)
		}
		return err
	case format.BlockClock:
		c, err := format.ParseClock(b)
		if err == nil {
			p.line("clock %d, unix %d ns, mono %d ns", c.Clock, c.UnixNano, c.MonoNano)
		}
		return err
	case format.BlockSites:
		base, pkg, sites, _, err := format.ParseSites(b)
		p.line("package %s", pkg)
		for i, s := range sites {
			p.line("site %d: %s %s:%d flags %d", int(base)+i, s.Name, s.File, s.Line, s.Flags)
		}
		return err
	case format.BlockEvents:
		return p.events(b)
	case format.BlockOrigins:
		list, err := format.ParseOrigins(b)
		for _, o := range list {
			p.line("origin %d: %s %s:%d", o.ID, o.Func, o.File, o.Line)
		}
		return err
	case format.BlockEnd:
		t, err := format.ParseTrailer(b)
		if err == nil {
			p.line("clock %d, events %d, lost %d, flags %d, recovered %d", t.Clock, t.Events, t.Lost, t.Flags, t.Recovered)
		}
		return err
	case format.BlockTypes:
		list, err := format.ParseTypes(b)
		for _, t := range list {
			p.line("type %d: kind %d %s, package %q, length %d, element %d, %d fields", t.ID, t.Kind, t.Name, t.Package, t.Len, t.Elem, len(t.Fields))
		}
		return err
	case format.BlockTests:
		list, err := format.ParseTests(b)
		for _, t := range list {
			p.line("%d goroutine %d state %d %s %q", t.Clock, t.Goroutine, t.State, t.Name, t.Text)
		}
		return err
	case format.BlockCounts:
		clock, list, err := format.ParseCounts(b)
		if err == nil {
			p.line("clock %d", clock)
		}
		for _, c := range list {
			p.line("site %d: level %d, %d calls counted%s", c.Site, c.Level, c.Calls, guess(c.Guess))
		}
		return err
	case format.BlockObjects:
		clock, list, err := format.ParseObjects(b)
		if err == nil {
			p.line("clock %d", clock)
		}
		for _, t := range list {
			p.line("type %s, package %q: %d objects, %d bytes", t.Type, t.Package, t.Objects, t.Bytes)
		}
		return err
	case format.BlockGroups:
		list, err := format.ParseGroups(b)
		for _, g := range list {
			p.line("group %s: variables %s; groups %s", g.Name, strings.Join(g.Vars, " "), strings.Join(g.Subgroups, " "))
		}
		return err
	case format.BlockGap:
		g, err := format.ParseGap(b)
		p.line("%d bytes to skip; test %d, %d events from %d to %d", g.Skip, g.Test, g.Events, g.From, g.To)
		for _, l := range g.Lows {
			p.line("goroutine %d unwound to token %d, site %d", l.Goroutine, l.Token, l.Site)
		}
		return err
	case format.BlockStarts:
		list, err := format.ParseStarts(b)
		for _, s := range list {
			p.line("%d goroutine %d start, parent %d, origin %d", s.Clock, s.Goroutine, s.Parent, s.Origin)
		}
		return err
	case format.BlockIndex:
		x, err := format.ParseIndex(b)
		p.line("blocks from byte %d to %d, index before at %d", x.From, x.At, x.Previous)
		for i := range x.Entries {
			if e := &x.Entries[i]; e.Kind == format.BlockEvents {
				p.line("%s block of %d bytes: stream %d, seq %d, clock %d, events %d, lost %d, outline of %d bytes, %d starts", name(e.Kind), e.Length, e.Stream, e.Seq, e.Clock, e.Events, e.Lost, e.Outline, len(e.Starts))
			} else {
				p.line("%s block of %d bytes", name(e.Kind), e.Length)
			}
		}
		return err
	}
	return nil // unknown to this version
}

func (p *printer) events(b []byte) error {
	var dec format.Decoder
	h, err := dec.Reset(b)
	if err != nil {
		return err
	}
	p.line("stream %d, seq %d, clock %d, goroutine %d, events %d, lost %d", h.Stream, h.Seq, h.Clock, h.Goroutine, h.Events, h.Lost)
	var ev format.Event
	for dec.Next(&ev) {
		fmt.Fprintf(p, "%12s%d %016x goroutine %d %v", "", ev.Clock, word(&ev), ev.Goroutine, ev.Kind)
		switch ev.Kind {
		case format.Enter, format.Exit:
			fmt.Fprintf(p, " site %d token %d", ev.Site, ev.Token)
		case format.Marker, format.Error:
			fmt.Fprintf(p, " site %d", ev.Site)
		case format.Panic, format.Recover, format.Goexit:
			fmt.Fprintf(p, " token %d", ev.Token)
		case format.Long:
			fmt.Fprintf(p, " site %d token %d ticks %d", ev.Site, ev.Token, ev.Value)
		case format.Parked:
			fmt.Fprintf(p, " reason %d", ev.Value)
		case format.Waited:
			w := ev.Wait()
			fmt.Fprintf(p, " reason %d ticks %d runnable %d waker %d", w.Reason, w.Total, w.Runnable, w.Waker)
			if w.Ago != 0 {
				fmt.Fprintf(p, " ago %d", w.Ago)
			}
			if w.More != 0 {
				fmt.Fprintf(p, " more %d", w.More)
			}
			ev.Data = nil
		case format.Made:
			fmt.Fprintf(p, " objects %d bytes %d", ev.Value, ev.Bytes())
			ev.Data = nil
		case format.Spawn:
			fmt.Fprintf(p, " goroutine %d", ev.Value)
		case format.Start:
			fmt.Fprintf(p, " parent %d origin %d", ev.Value, ev.Origin)
		}
		if ev.Data != nil {
			fmt.Fprintf(p, " values %x", ev.Data)
		}
		p.WriteByte('\n')
	}
	return dec.Err()
}

// line prints a line of a block's content.
func (p *printer) line(f string, args ...any) {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = names.Printable(s)
		}
	}
	fmt.Fprintf(p, "%12s"+f+"\n", append([]any{""}, args...)...)
}

// word returns the word that the record of an event has in the arena.
func word(ev *format.Event) uint64 {
	code := func(c, value uint64) uint64 {
		return format.FirstCode<<format.SiteShift | c<<format.CodeShift | value&format.ValueMask
	}
	switch ev.Kind {
	case format.Enter:
		return uint64(ev.Site)<<format.SiteShift | uint64(ev.Token)
	case format.Exit:
		return format.ExitBit | uint64(ev.Site)<<format.SiteShift | uint64(ev.Token)
	case format.Go:
		return code(format.CodeGo, ev.Goroutine)
	case format.Start:
		return code(format.CodeStart, ev.Value)
	case format.End:
		return code(format.CodeEnd, 0)
	case format.Panic:
		return code(format.CodePanic, uint64(ev.Token))
	case format.Recover:
		return code(format.CodeRecover, uint64(ev.Token))
	case format.Goexit:
		return code(format.CodeGoexit, uint64(ev.Token))
	case format.Marker:
		return code(format.CodeInfo, uint64(ev.Site))
	case format.Long:
		return code(format.CodeLong, uint64(ev.Token))
	case format.Parked:
		return code(format.CodeParked, ev.Value)
	case format.Waited:
		w := ev.Wait()
		value := w.Waker<<format.WakerShift | uint64(w.Reason)
		if w.Ago != 0 {
			return code(format.CodeLate, value)
		}
		return code(format.CodeWaited, value)
	case format.Spawn:
		return code(format.CodeSpawn, ev.Value)
	case format.Made:
		return code(format.CodeMade, ev.Value)
	default:
		return code(format.CodeError, uint64(ev.Site))
	}
}

var kinds = [...]string{
	format.BlockMeta: "meta", format.BlockClock: "clock", format.BlockSites: "sites", format.BlockEvents: "events", format.BlockOrigins: "origins",
	format.BlockEnd: "end", format.BlockTypes: "types", format.BlockTests: "tests", format.BlockGroups: "groups",
	format.BlockCounts: "counts",
	format.BlockGap:    "gap", format.BlockStarts: "starts", format.BlockIndex: "index", format.BlockOutlines: "outlines", format.BlockObjects: "objects",
}

// name returns the name of a kind of blocks.
func name(k format.BlockKind) string {
	if int(k) < len(kinds) && kinds[k] != "" {
		return kinds[k]
	}
	return fmt.Sprintf("kind %d", k)
}

// guess says what is known of calls that nobody counted, "" if all were counted.
func guess(g format.Guess) string {
	if g == (format.Guess{}) {
		return ""
	}
	return fmt.Sprintf(" in %d windows, root of squares %d, at most %d", g.Windows, g.Root, g.Most)
}
