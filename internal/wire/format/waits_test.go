package format

import "testing"

// What a newer version says, or damage, is a Wait that can be added up.
func TestParseWait(t *testing.T) {
	for _, tt := range []struct {
		data []byte
		want Wait
	}{
		{AppendWait(nil, Wait{Reason: WaitLock, Total: 1000}), Wait{Reason: WaitLock, Total: 1000}},
		{AppendWait(nil, Wait{WaitLock, 1000, 300, 17, 0, 0}), Wait{WaitLock, 1000, 300, 17, 0, 0}},
		{AppendWait(nil, Wait{WaitLock, 1000, 300, 17, 9, 2}), Wait{WaitLock, 1000, 300, 17, 9, 2}},
		{AppendWait(nil, Wait{Reason: WaitLock, Total: 1000, Ago: 9}), Wait{Reason: WaitLock, Total: 1000, Ago: 9}},
		{AppendWait(nil, Wait{Total: 1000, Runnable: 1001}), Wait{Total: 1000, Runnable: 1000}},
		{AppendWait(nil, Wait{Reason: WaitReasons, Total: 5}), Wait{Reason: WaitOther, Total: 5}},
		{AppendWait(nil, Wait{WaitLock, 1000, 300, 17, 0, 0})[:4], Wait{WaitLock, 1000, 0, 0, 0, 0}},
		{nil, Wait{}},
	} {
		if got := ParseWait(tt.data); got != tt.want {
			t.Errorf("%x is %+v; want %+v", tt.data, got, tt.want)
		}
	}
}
