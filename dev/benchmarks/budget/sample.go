package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// A sample is one run.
type sample struct {
	program, variant string
	round            int
	wall, cpu        float64 // s
	beside           float64 // s of CPU time that the plain program took beside it; 0: it ran alone

	// Of a recording; what isn't known is 0.
	bytes           int64
	calls, recorded uint64
	demoted         int
	share           float64 // of the program's time that lies in recorded calls, 0 to 1

	estimated, within int // functions whose number of calls is an estimate, and those whose interval holds the true one
	differ            int // functions whose number should be exact and isn't
}

var columns = []string{"program", "variant", "round", "wall_s", "cpu_s", "beside_s", "bytes", "calls", "recorded", "demoted", "share", "estimated", "within", "differ"}

func (s sample) cells() []string {
	float := func(f float64) string { return strconv.FormatFloat(f, 'f', 6, 64) }
	return []string{
		s.program, s.variant, strconv.Itoa(s.round + 1), float(s.wall), float(s.cpu), float(s.beside), strconv.FormatInt(s.bytes, 10),
		strconv.FormatUint(s.calls, 10), strconv.FormatUint(s.recorded, 10), strconv.Itoa(s.demoted), float(s.share),
		strconv.Itoa(s.estimated), strconv.Itoa(s.within), strconv.Itoa(s.differ),
	}
}

func parseSample(cells []string) (s sample, err error) {
	var errs []error
	float := func(text string) float64 {
		f, err := strconv.ParseFloat(text, 64)
		errs = append(errs, err)
		return f
	}
	integer := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		errs = append(errs, err)
		return n
	}
	s = sample{
		program: cells[0], variant: cells[1], round: int(integer(cells[2])) - 1, wall: float(cells[3]), cpu: float(cells[4]), beside: float(cells[5]),
		bytes: integer(cells[6]), calls: uint64(integer(cells[7])), recorded: uint64(integer(cells[8])),
		demoted: int(integer(cells[9])), share: float(cells[10]),
		estimated: int(integer(cells[11])), within: int(integer(cells[12])), differ: int(integer(cells[13])),
	}
	return s, errors.Join(errs...)
}

// readSamples reads a file of samples; none if there is no file.
func readSamples(name string) ([]sample, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = len(columns)
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s, which may be of another version: %w", name, err)
	}
	var list []sample
	for i, cells := range rows {
		if i == 0 {
			continue
		}
		s, err := parseSample(cells)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// writeSamples replaces a file of samples. It is never there in part.
func writeSamples(name string, list []sample) error {
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	w.Write(columns)
	for _, s := range list {
		w.Write(s.cells())
	}
	w.Flush()
	if err := errors.Join(w.Error(), f.Close()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
