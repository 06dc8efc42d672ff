package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/viewer"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
	"github.com/waymark-go/waymark/tracefile"
)

// viewedTraces is how many traces tui lists.
const viewedTraces = 1000

func (a *app) tuiCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "tui [flags] FILE...", Short: "look at recordings in the terminal", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			return a.withSet(files, func(set *tracefile.Set) error {
				if err := tui.Check(a.stdin, a.stdout, "waymark report, tree and traces, which print"); err != nil {
					return fmt.Errorf("tui: %w", err)
				}
				return a.view(set, files)
			})
		},
	}
	cmd.Long = `Tui shows the functions of recordings with their times, the call tree, callers and callees of a
function, and the slowest traces. It opens trees level by level, sorts and searches, and opens a
function's source in the editor that VISUAL or EDITOR names. The key ? lists all keys.`
	return cmd
}

// view shows recordings until the user leaves. What could not be read is an error in the end, too.
func (a *app) view(set *tracefile.Set, files []string) error {
	name := filepath.Base(files[0])
	if len(files) > 1 {
		name += fmt.Sprintf(" and %d more", len(files)-1)
	}
	var reading sync.Mutex // of damage: a user may leave before all is read
	var damage error
	m := viewer.New(viewer.Source{
		Name: name,
		Read: func(progress func(read, all uint64)) (*report.Report, []string, error) {
			r := report.New(report.Options{Tree: true, Progress: progress})
			err := errors.Join(r.Read(set), r.Damage())
			reading.Lock()
			defer reading.Unlock()
			damage = err
			return r, recording.Lacks(r.Recordings), err
		},
		Traces: func() ([]*traces.Trace, int, error) {
			list, n, _, err := traces.List(set, new(recording.Filter), traces.Options{Slowest: viewedTraces})
			return list, n, err
		},
		Trace: func(key traces.Key) (*traces.Tree, error) {
			t, _, err := traces.Find(set, new(recording.Filter), nil, key, nil)
			return t, err
		},
		Editor: viewer.Editor,
	})
	err := tui.Run(m, a.stdin, a.stdout, m.Send)
	reading.Lock()
	defer reading.Unlock()
	return errors.Join(err, damage)
}
