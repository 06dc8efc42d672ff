package tracefile
import ("testing";"os";"time";"encoding/binary";"runtime"
"github.com/waymark-go/waymark/format")
func TestTmpOpen(t *testing.T) {
	path := t.TempDir()+"/x"
	file, _ := os.Create(path)
	w := newTrace()
	file.Write(w.file)
	const n = 60000
	blk := make([]byte, 11016)
	for i := 0; i < n; i++ {
		p := binary.AppendUvarint(nil, uint64(i%4)); p = binary.AppendUvarint(p, uint64(i+1)); p = binary.AppendUvarint(p, 1<<50); p = append(p, 1, 200, 31, 0)
		b := format.BeginBlock(nil, format.BlockEvents)
		binary.LittleEndian.PutUint32(b[8:], 11000)
		copy(blk, b); copy(blk[16:], p)
		file.Write(blk)
	}
	for i := 0; i < 3; i++ {
	before := heap()
	start := time.Now()
	f, err := openFile(file)
	t.Log(time.Since(start)/n, "per block", err, float64(heap()-before)/n, "bytes a block", len(f.streams))
	runtime.KeepAlive(f)
	}
}
