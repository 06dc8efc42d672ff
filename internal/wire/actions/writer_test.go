package actions

import (
	"bytes"
	"encoding/xml"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// An XML reader reads what was written, whatever names look like.
func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, 4)
	const name = "a<b>&\"'|,%\t\r\n\x00\xff\uFFFE日"
	e := &Element{Key: `k"<1>`, Parent: "p&", Goroutine: 7}
	if !e.Empty() {
		t.Error("a new element is not empty")
	}
	e.Add(5, Start, name)
	e.Add(6, Exception, name)
	if err := w.Write(e); err != nil || e.Empty() {
		t.Fatal(err, e.Empty())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Unit   string `xml:"unit,attr"`
		Start  int64  `xml:"start,attr"`
		Traces []struct {
			Key       string `xml:"key,attr"`
			Parent    string `xml:"parent,attr"`
			Goroutine uint64 `xml:"goroutine,attr"`
			Text      string `xml:",chardata"`
		} `xml:"trace"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v in\n%s", err, b.Bytes())
	}
	if got.Unit != "ns" || got.Start != 4 || len(got.Traces) != 1 {
		t.Fatalf("%+v, want unit ns, start 4 and one trace", got)
	}
	one := got.Traces[0]
	const written = "a<b>&\"'%7C%2C%25\t\r\n\uFFFD\uFFFD\uFFFD日"
	want := "5,START," + written + "|6,EXCEPTION," + written
	if one.Key != e.Key || one.Parent != e.Parent || one.Goroutine != 7 || one.Text != want {
		t.Errorf("%+q\nwant key %q, parent %q, goroutine 7, text\n%q", one, e.Key, e.Parent, want)
	}
	if n := strings.Count(b.String(), "\n"); n != 4 {
		t.Errorf("%d lines, want 4: an element is a line", n)
	}
}

// full takes so many bytes.
type full int

var errFull = errors.New("full")

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteError(t *testing.T) {
	room := full(120)
	w := NewWriter(&room, 0)
	e := new(Element)
	e.Add(1, Start, "f")
	var got []error
	for range [3]int{} {
		got = append(got, w.Write(e))
	}
	if got = append(got, w.Close()); !reflect.DeepEqual(got, []error{nil, errFull, errFull, errFull}) {
		t.Errorf("errors %v, want the first write to fit only", got)
	}
}
