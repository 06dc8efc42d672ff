package report

import "testing"

func TestParseNames(t *testing.T) {
	by, err := ParseBy("goroutine")
	if by != ByGoroutine || err != nil {
		t.Error(by, err)
	}
	if _, err := ParseBy("file"); message(err) != `a report by "file": want function, package, group, goroutine or type` {
		t.Error(err)
	}
	if _, err := ParseSort("time"); message(err) != `sort by "time": want total, self, calls, avg, max, panics, errors, objects, bytes, running, runnable or waiting` {
		t.Error(err)
	}
	if _, err := ParseFormat("xml"); message(err) != `format "xml": want text, json or csv` {
		t.Error(err)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
