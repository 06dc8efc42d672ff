package descriptor

import (
	"os"
	"syscall"
	"testing"
)

func TestRaise(t *testing.T) {
	open := func() int {
		f, err := os.Open("doc.go")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fd, err := syscall.Dup(int(f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	low := open()
	high, ok := Raise(low)
	if !ok || high < least {
		t.Errorf("%d becomes %d, %v", low, high, ok)
	}
	if again := open(); again != low {
		t.Errorf("the number %d is taken", low)
	}
	var limit, few syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	few = limit
	for few.Cur = Fewest + 1; few.Cur <= Fewest+2; few.Cur++ {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		if _, ok := Raise(open()); ok != (few.Cur > Fewest+1) {
			t.Errorf("%v with %d descriptors", ok, few.Cur)
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Error(err)
	}
}
