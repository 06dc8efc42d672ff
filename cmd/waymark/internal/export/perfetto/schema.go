package perfetto

import "github.com/waymark-go/waymark/internal/wire/protobuf"

// Numbers of fields in protos/perfetto/trace of github.com/google/perfetto.
const (
	tracePacket protobuf.Number = 1 // trace.proto

	// trace_packet.proto
	packetTimestamp       protobuf.Number = 8
	packetSequence        protobuf.Number = 10 // trusted_packet_sequence_id
	packetTrackEvent      protobuf.Number = 11
	packetInterned        protobuf.Number = 12
	packetFlags           protobuf.Number = 13
	packetTrackDescriptor protobuf.Number = 60

	// track_descriptor.proto, process_descriptor.proto
	trackUUID    protobuf.Number = 1
	trackName    protobuf.Number = 2
	trackProcess protobuf.Number = 3
	trackParent  protobuf.Number = 5
	processPID   protobuf.Number = 1
	processName  protobuf.Number = 6

	// track_event.proto
	eventCategoryIID protobuf.Number = 3
	eventAnnotation  protobuf.Number = 4
	eventType        protobuf.Number = 9
	eventNameIID     protobuf.Number = 10
	eventTrack       protobuf.Number = 11
	eventName        protobuf.Number = 23
	eventLocationIID protobuf.Number = 34
	eventFlow        protobuf.Number = 47
	eventFlowEnd     protobuf.Number = 48 // terminating_flow_ids

	// debug_annotation.proto
	annotationNameIID protobuf.Number = 1
	annotationBool    protobuf.Number = 2
	annotationInt     protobuf.Number = 4
	annotationText    protobuf.Number = 6

	// interned_data.proto, and the messages that it holds
	internedCategory   protobuf.Number = 1
	internedName       protobuf.Number = 2
	internedAnnotation protobuf.Number = 3
	internedLocation   protobuf.Number = 4
	internedIID        protobuf.Number = 1
	internedText       protobuf.Number = 2 // of a location: the file
	locationFunction   protobuf.Number = 3
	locationLine       protobuf.Number = 4
)

// Values of TrackEvent.Type, and bits of TracePacket.SequenceFlags.
const (
	typeBegin   = 1
	typeEnd     = 2
	typeInstant = 3

	stateCleared = 1
	needsState   = 2
)
