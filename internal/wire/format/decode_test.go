package format

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// readBy returns the events of a block that reads of as many at a time give, and how it ended.
func readBy(payload []byte, batch int) (events []Event, err error) {
	var dec Decoder
	if _, err := dec.Reset(payload); err != nil {
		return nil, err
	}
	evs := make([]Event, batch)
	for n := dec.Read(evs); n > 0; n = dec.Read(evs) {
		for _, ev := range evs[:n] {
			ev.Data = bytes.Clone(ev.Data)
			events = append(events, ev)
		}
	}
	return events, dec.Err()
}

// TestReadInBatches checks that it makes no difference how many events are read at a time,
// in whole blocks and in such as no encoder makes.
func TestReadInBatches(t *testing.T) {
	for _, seed := range seed.List(100) {
		r := rand.New(rand.NewSource(int64(seed)))
		p := newProgram(r.Intn)
		for len(p.recs) < 300 {
			p.step()
		}
		var enc Encoder
		payload, _ := enc.Append(nil, Chunk{Clock: p.clock, Goroutine: 1}, p.recs)
		for i := uint64(0); i < seed%5; i++ {
			payload[r.Intn(len(payload))] = byte(r.Intn(256))
		}
		want, wantErr := readBy(payload, 1)
		for _, batch := range []int{2, 3, 7, 64, 1000} {
			got, err := readBy(payload, batch)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("seed %d: %v by %d, %v one by one", seed, err, batch, wantErr)
			}
			if len(got) != len(want) {
				t.Errorf("seed %d: %d events by %d, %d one by one", seed, len(got), batch, len(want))
				continue
			}
			for i := range got {
				if !equal(got[i], want[i]) {
					t.Errorf("seed %d, event %d: %+v by %d, %+v one by one", seed, i, got[i], batch, want[i])
				}
			}
		}
	}
}

// TestValuesOfNothing reads values that don't follow an event, or follow others: they are no
// event's.
func TestValuesOfNothing(t *testing.T) {
	values := func(text string) []byte { return append([]byte{tagOther, CodeValues, byte(len(text))}, text...) }
	enter := []byte{1<<tagBits | tagEnter, 1, 2}
	skew := []byte{tagOther, CodeSkew, 1}
	block := func(records ...[]byte) []byte { return append([]byte{0, 0, 100, 1, 2, 0}, bytes.Join(records, nil)...) }
	for _, tt := range []struct {
		name    string
		payload []byte
		want    string // of the events, their values
	}{
		{"of an event", block(enter, values("a"), []byte{tagExit}, values("b")), "a,b,"},
		{"twice", block(enter, values("a"), values("b"), []byte{tagExit}), "a,,"},
		{"behind a skew", block(enter, skew, values("a"), []byte{tagExit}), ",,"},
		{"at first", block(values("a"), enter), ","},
		{"empty", block(enter, values(""), []byte{tagExit}), ",,"},
	} {
		for _, batch := range []int{1, 2, 64} {
			events, err := readBy(tt.payload, batch)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			got := ""
			for _, ev := range events {
				got += string(ev.Data) + ","
			}
			if got != tt.want {
				t.Errorf("%s, %d at a time: %s, want %s", tt.name, batch, got, tt.want)
			}
		}
	}
}
