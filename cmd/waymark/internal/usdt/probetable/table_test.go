package probetable

import (
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/usdt"
)

func sample() *Table {
	return &Table{Sites: []Site{
		{Index: 3, Entry: &Probe{Provider: "main", Name: "f__entry", Function: "main.f", Args: []Argument{{"a", "int", -8}}}, Return: &Probe{Provider: "main", Name: "f__return"}},
		{Index: 7, Entry: &Probe{Provider: "shop", Name: "start", Module: "m", Attributes: usdt.Attributes{Provider: "Stable/Stable/Common"}}},
	}}
}

// bytesOf returns the table as it lies in a program, behind other data.
func bytesOf(t *testing.T, table *Table) []byte {
	t.Helper()
	words, first, err := Words(table)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(words) - len(table.Sites)*Stride; first != want {
		t.Fatalf("the first site is at %d, want %d", first, want)
	}
	data := make([]byte, 16)
	for _, w := range words {
		data = binary.LittleEndian.AppendUint64(data, w)
	}
	return data
}

func TestFind(t *testing.T) {
	data := bytesOf(t, sample())
	data = append(data, bytesOf(t, sample())...)
	found, err := Find(data)
	if err != nil || len(found) != 2 {
		t.Fatalf("%d tables, %v, want 2", len(found), err)
	}
	f := found[1]
	want := sample()
	for i := range want.Sites {
		want.Sites[i].Index = 0 // it is in the words
	}
	if !reflect.DeepEqual(f.Sites, want.Sites) {
		t.Errorf("sites are %+v, want %+v", f.Sites, want.Sites)
	}
	f.SetLocation(data, 1, Entry, 40)
	f.SetLocation(data, 0, Return, 41)
	if got := binary.LittleEndian.Uint32(data[f.Semaphore(1, Entry)+4:]); got != 41 {
		t.Errorf("the location of the second site's entry is %d, want 41: 1 and its number", got)
	}
	if got := binary.LittleEndian.Uint32(data[f.Semaphore(0, Return)+6:]); got != 42 {
		t.Errorf("the location of the first site's return is %d, want 42", got)
	}
	if got := binary.LittleEndian.Uint64(data[f.Semaphore(1, Entry)+12:]); got != 7 {
		t.Errorf("the second site's index is %d, want 7", got)
	}
}

// Of damaged tables comes an error, or fewer tables, and never a panic.
func TestDamage(t *testing.T) {
	whole := bytesOf(t, sample())
	for n := range whole {
		if found, err := Find(whole[:n]); err == nil && len(found) > 0 {
			t.Errorf("of %d of %d bytes come %d tables, want an error", n, len(whole), len(found))
		}
		changed := append([]byte(nil), whole...)
		changed[n] ^= 0x41
		Find(changed)
	}
}
