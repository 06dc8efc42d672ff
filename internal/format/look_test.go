package format

import (
	"encoding/binary"
	"io"
	"testing"
)

// A movingProgram fills two chunks while a reader looks at them, one after the other: the first one
// is given back and handed out again behind the look, then the second one before the look.
type movingProgram struct {
	mem     []byte
	headers int // that were read
}

func (p *movingProgram) ReadAt(b []byte, off int64) (int, error) {
	if len(b) == ChunkHeader {
		if p.headers++; p.headers == 2 { // the first chunk's has been read
			p.put(1, 9)
			p.put(2, 10)
		}
	}
	if off >= int64(len(p.mem)) {
		return 0, io.EOF
	}
	return copy(b, p.mem[off:]), nil
}

// put hands a chunk out and fills it with one event.
func (p *movingProgram) put(i int, seq uint64) {
	c := p.mem[i*ChunkSize:][:ChunkSize]
	le := binary.LittleEndian
	le.PutUint64(c[8:], seq)
	le.PutUint64(c[16:], seq*100)
	le.PutUint32(c[32:], ChunkHeader+RecordSize)
	le.PutUint64(c[48:], seq*100+50)
	le.PutUint64(c[ChunkHeader:], seq*100+1)
	le.PutUint64(c[ChunkHeader+8:], 1<<SiteShift|64)
	le.PutUint32(c, ChunkFull)
}

// A chunk does not come without those of its stream that were handed out before it.
func TestLook(t *testing.T) {
	p := &movingProgram{mem: make([]byte, 3*ChunkSize)}
	PutControl(p.mem, Control{PID: 1})
	p.put(1, 5) // will be in the file
	p.put(2, 6) // too
	s, err := ReadArena(p, int64(len(p.mem)), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Chunks {
		t.Errorf("chunk %d is there; want none, as neither 9 was seen nor 5 and 6 stayed", c.Seq)
	}
	s, err = ReadArena(p, int64(len(p.mem)), 0)
	if err != nil || len(s.Chunks) != 2 || s.Chunks[0].Seq != 9 || s.Chunks[1].Seq != 10 {
		t.Errorf("%+v, %v; want chunks 9 and 10, of a program that does nothing meanwhile", s, err)
	}
}
