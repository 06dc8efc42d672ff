package waymark

import "github.com/waymark-go/waymark/internal/agent"

// Record gives a factory that has calls recorded in the trace file, at the full speed of recording: its monitors
// need not be called. If the program isn't recording already, as it does with
// WAYMARK=record, registering it begins a recording with the settings in WAYMARK, to waymark.wmt if these
// name no file, of the functions only that are in such groups, and of the info functions of their packages. The error is then what
// starting that gives; it is one, too, if the recording has ended, as one does that reaches its size.
func Record() MonitorFactory { return recording{} }

type recording struct{}

func (recording) Kind() string { return "Record" }

func (recording) Create(string) Monitor { return nil }

// records tells whether f has calls recorded: it, or a part of it, is what Record gives.
func records(f MonitorFactory) bool {
	switch f := f.(type) {
	case recording:
		return true
	case *compose:
		for _, part := range f.factories {
			if records(part) {
				return true
			}
		}
	}
	return false
}

// startRecording makes sure that there is a recording if f needs one.
func startRecording(f MonitorFactory) error {
	if !records(f) {
		return nil
	}
	return agent.Record()
}
