package edit

import "testing"

func TestOriginal(t *testing.T) {
	const text = "return a(b)\n"
	b := NewBuffer([]byte(text))
	b.Replace(0, 6, "{ r =")
	b.Insert(11, "; leave()")
	b.Insert(11, "; return r }")
	b.Insert(0, "if on ")
	out, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range out {
		at, ok := Original(b.Runs(), i)
		if !ok {
			continue
		}
		found++
		if at < 6 || at >= len(text) || out[i] != text[at] {
			t.Errorf("byte %d of %q is byte %d of %q", i, out, at, text)
		}
	}
	if want := len(" a(b)\n"); found != want {
		t.Errorf("%d bytes are of the original; want %d", found, want)
	}
	if _, ok := Original(b.Runs(), len(out)); ok {
		t.Error("there is a byte behind the end")
	}
}
