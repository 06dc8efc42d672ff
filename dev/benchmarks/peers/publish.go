package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/waymark-go/waymark/dev/benchmarks/table"
)

// publish writes tables, samples and plot into the folder of documents.
func (s *summary) publish(docs string) error {
	var tables, samples strings.Builder
	tables.WriteString("![What tracing adds to a call, of each tracer](performance.svg)\n\n")
	if err := s.writeTables(&tables); err != nil {
		return err
	}
	if err := s.writeCSV(&samples); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, "performance.csv"), []byte(samples.String()), 0o666); err != nil {
		return err
	}
	if err := s.savePlot(filepath.Join(docs, "performance.svg")); err != nil {
		return err
	}
	return table.Insert(filepath.Join(docs, "performance.md"), "PEERS", tables.String())
}
