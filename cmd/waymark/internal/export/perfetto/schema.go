package perfetto

import "github.com/waymark-go/waymark/internal/wire/protobuf"

// Numbers of fields in protos/perfetto/trace of github.com/google/perfetto.
const (
	tracePacket wire.Number = 1 // trace.proto

	// trace_packet.proto
	packetTimestamp       wire.Number = 8
	packetSequence        wire.Number = 10 // trusted_packet_sequence_id
	packetTrackEvent      wire.Number = 11
	packetInterned        wire.Number = 12
	packetFlags           wire.Number = 13
	packetTrackDescriptor wire.Number = 60

	// track_descriptor.proto, process_descriptor.proto
	trackUUID    wire.Number = 1
	trackName    wire.Number = 2
	trackProcess wire.Number = 3
	trackParent  wire.Number = 5
	processPID   wire.Number = 1
	processName  wire.Number = 6

	// track_event.proto
	eventCategoryIID wire.Number = 3
	eventAnnotation  wire.Number = 4
	eventType        wire.Number = 9
	eventNameIID     wire.Number = 10
	eventTrack       wire.Number = 11
	eventName        wire.Number = 23
	eventLocationIID wire.Number = 34
	eventFlow        wire.Number = 47
	eventFlowEnd     wire.Number = 48 // terminating_flow_ids

	// debug_annotation.proto
	annotationNameIID wire.Number = 1
	annotationBool    wire.Number = 2
	annotationInt     wire.Number = 4
	annotationText    wire.Number = 6

	// interned_data.proto, and the messages that it holds
	internedCategory   wire.Number = 1
	internedName       wire.Number = 2
	internedAnnotation wire.Number = 3
	internedLocation   wire.Number = 4
	internedIID        wire.Number = 1
	internedText       wire.Number = 2 // of a location: the file
	locationFunction   wire.Number = 3
	locationLine       wire.Number = 4
)

// Values of TrackEvent.Type, and bits of TracePacket.SequenceFlags.
const (
	typeBegin   = 1
	typeEnd     = 2
	typeInstant = 3

	stateCleared = 1
	needsState   = 2
)
