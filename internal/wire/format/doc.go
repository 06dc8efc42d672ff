// Package format defines waymark's trace file and the shared-memory arena that
// a recording program fills: constants, encoders and decoders, byte by byte. The
// recorder in the traced program and the reader of trace files both build on it.
//
// All integers are little endian. "uvarint" and "svarint" are the variable
// length integers of encoding/binary (svarint is zigzag). "string" is a uvarint
// length followed by that many bytes.
//
// # Trace file
//
//	file   = header block*
//	header = "waymark\n" version:u16 0:u16 0:u32                 (16 bytes)
//	block  = "wmBK" kind:u8 0:u8 0:u16 length:u32 crc:u32 payload (16 bytes + length)
//
// crc is CRC-32C (Castagnoli) of the 8 bytes from kind to length, then of the payload. length is at
// most MaxPayload, MaxEvents in an Events block. The version changes when a reader of the previous
// one would misread the file. A new block kind, meta key or event code does not change it, because
// readers skip what they don't know. A reader understands a block with the header, Meta and Sites
// alone, so damage costs only the blocks that it hits. The reader finds the next block by its "wmBK"
// and crc.
//
//	kind  name     payload
//	1     Meta     n:uvarint, n times key:string value:string
//	2     Clock    clock:u64 unix_ns:i64 mono_ns:i64, read at one instant
//	3     Sites    base:uvarint table; see Sites
//	4     Events   see Events
//	5     Origins  n:uvarint, n times id:uvarint line:uvarint func:string file:string
//	6     End      clock:u64 events:u64 lost:u64 flags:u64 recovered:u64; last in a complete file
//	7     Types    type*; see Types
//	8     Tests    n:uvarint, n times clock:uvarint goroutine:uvarint state:u8 name:string text:string
//	9     Groups   n:uvarint, n times name:string nvars:uvarint var:string*
//	               nsubgroups:uvarint name:string*
//	10    Counts   clock:uvarint n:uvarint, n times site:uvarint level:u8 calls:uvarint
//	11    Gap      skip:u64 test:uvarint from:uvarint to:uvarint events:uvarint
//	               n:uvarint, n times goroutine:uvarint clock:uvarint token:uvarint
//	               site:uvarint
//	12    Starts   n:uvarint, n times clock:uvarint goroutine:uvarint parent:uvarint origin:uvarint
//	13    Index    at:uvarint previous:uvarint from:uvarint n:uvarint entry*; see Index
//	14    Outlines see Index
//	15    Objects  clock:uvarint n:uvarint, n times type:string package:string objects:uvarint bytes:uvarint
//
// End's events and lost are those of the whole file. A reader that completed the file of a killed
// program from its arena sets the flag Recovered (1). It sets recovered to the number of events
// that it added. The flags Full (2) and Failed (4) say that recording ended before the program
// did. With Full the file had reached its size, with Failed it could not be written. What
// happened after clock is in no file. Disk (8) comes with Full: the file system was nearly full,
// and not the file.
//
// There may be several Meta and Groups blocks: what they say adds up. Tests blocks are in the order
// of time, and only test binaries have them. An empty name is that of the event before, in the same
// block or journal; version 1 has it in full. A Groups block names groups of functions, the variables
// that hold them, as in Sites, and the groups that they directly contain.
//
// # Levels and counts
//
// A program with a budget records less of the functions that cost most. The level of a site is 0
// (all), 1 (no values), 2 (counted) or 3 (counted only). At level 2 there is no enter and no exit;
// a call that took long is one event, Long, at its end. Sites begin at level 0.
//
// A Counts block says how things stood at clock. From then on each site in it has the given level.
// calls is how many of the site's calls were counted since the site's previous entry, in whatever
// block: the numbers of a site add up. A call is counted when it begins at level 2 or 3; the calls that
// events Long report are among those counted. So the calls of a site are its enters and its counts.
//
// At times calls of sites at level 2 or 3 are recorded all the same, without values, and not counted. They are
// samples. The id of a sample's site is the site's, with a group from 1 to SampleGroups from bit SampleShift on.
// There are samples only in programs whose ids are smaller than that. A sample belongs to the same
// function. So the calls of a function are its counts, and the enters of its site and of its
// samples.
//
// Counts blocks are in the order of time. The program writes one when levels change, and one about
// each second in which it counts calls. It writes one at the begin and at the end of each test, and
// at the end of the recording. A part of a rotated recording begins with the sites that are not at
// level 0 then, with calls since the earlier part's last block. What was counted after the last
// block of a killed program is lost.
//
// Meta "budget" is what the user allowed, such as 10%. Meta "cpu" and "cpu-tracing" are known at
// the end, in ns. They are the process's CPU time and the part of it that tracing took, as far as
// the program knows.
//
// # Goroutines
//
// Start is a goroutine's first record, with its first event. Spawn says when its go statement was
// executed. It is among the records of the goroutine that executed the statement. Where Meta
// "spawns" is 1 there is a Spawn for each goroutine whose maker had records itself, or a Spawn. A
// Spawn is missing only if it found no room, which counts as a lost event. The goroutine that a
// Spawn is of may have no Start then or ever.
//
// # Patched programs
//
// Where Meta "patched" is 1 the program was not built by waymark, and another process has recorded it.
// There are calls and goroutines, with panics and Goexit, but no waits and objects. Inlined calls are
// missing. Where Meta "errors" is 0 there are no events Error: the program doesn't say which functions
// return errors. A Start may be of a goroutine that began long before. It may be said again: then the
// earliest one counts.
//
// # Objects
//
// Where Meta "objects" is 1 the program counted its heap objects. Events Made say what a goroutine
// made. Each is in front of the goroutine's next event. Only the goroutine's Start, Parked, Waited
// and Spawn may come between what was made and Made. So what was made belongs to the call that is
// the innermost one there; to none if no call is open. If events were lost, the next event is the
// next one that was not, and the innermost call that by the events there are. What was made after
// the last event is in no Made.
//
// An Objects block says how many objects of each type were made from the begin of the recording
// until clock. Objects that tracing itself made are left out. The last one counts. The program
// writes one about each second in which it writes events. It writes one at the begin of each
// later part of a rotated recording, and at the end. Of a ring it writes one only when the ring
// is dumped.
//
// # Gaps
//
// A recording of tests may give back the events of tests that passed. The next block is skip bytes
// behind a Gap: what is there instead of blocks means nothing. The program writes other Events
// blocks there, in any order; it writes the Gap before them anew when they are whole. A Gap's test
// is the clock when that test began. Such a Gap says what the test lacks: so many events from the
// clock from to the clock to. Of several with the same test and from the last counts. The list says
// how far goroutines have unwound their stacks until the clock of their last event there. Calls
// that were open before are over if their token is greater, or if their token is this one and their
// site is site.
//
// Starts repeats events Start that were given back, of goroutines that were alive then.
//
// # Index
//
// An Index block lists the n blocks between the offset from in the file and its own offset, at. So a
// reader finds blocks without looking at each. previous is the offset of the Index block before, which
// ends at from; 0 if there is none. A writer appends one after some MB, and one before End. Readers
// search for the last one from the end of the file on, and look for the blocks behind it themselves. A
// file with Gaps has none.
//
//	entry  = kind:u8 length:uvarint events?
//	events = stream:uvarint seq:svarint clock:svarint events:uvarint lost:uvarint
//	         outline:uvarint nstarts:uvarint start*
//	start  = clock:uvarint goroutine:uvarint parent:uvarint origin:uvarint
//
// length is that of the block's payload. Only Events blocks have the rest. It begins with the
// numbers of their headers; seq and clock are differences to those of the Events block before in
// the list. Their goroutine starts follow, with clocks that count from the block's. There are no
// starts if nstarts is greater than MaxStarts: the block has them.
//
// outline is the length of the block's outline, 0 if it has none. The last block in the list is an
// Outlines block if there are outlines, and holds them, one after the other. An outline is an
// Events payload with fewer records. A reader who knows which calls are open before the block
// learns from its outline which are open behind it. Calls that begin and end in the block are
// missing, but for those that show that calls from before are over. Of each goroutine the first and
// the last event of any time that it ran are there. A reader who finds the goroutine on another
// stream in between has to read the block. A block with panics, Recover or Goexit, or with calls
// that end without an exit, has no outline.
//
// # Clocks
//
// Events carry ticks of the program's clock, which are below 2^62. Meta "clock"
// names it: tsc, the time stamp counter of amd64; cntvct, the generic timer of
// arm64; or nanotime, the runtime's monotonic clock. Readers need not care.
// Ticks become time through the first and the last Clock block. Meta "hz" is
// the rate to use while there is only one, estimated or as the processor says.
//
// # Windows and parts
//
// Meta "from" is a clock: the file holds all events from it on, but only some of
// those before. A recording with overflow "ring" has it once events were
// overwritten. Meta "window" is how many ns of the recording the user wants,
// counted back from its last event. A rotated recording is several files with the
// same "nonce", and "part" 0, 1 and so on; each can be read by itself. All have the
// first Clock of the first one, so that times count from the same instant.
//
// # Sites
//
// A site is an instrumented function. The tool makes a table at build time for
// each group of files compiled together. The program carries it as a constant.
// base is the id that the program gave to the table's first site; the following
// ones count up.
//
//	table = package:string nfiles:uvarint file:string*
//	        nsites:uvarint (name:string file:uvarint line:uvarint flags:uvarint)*
//	        [nvalued:uvarint (index:uvarint nargs:uvarint name:string* nresults:uvarint name:string*)*
//	        [ngroups:uvarint group:string* first:uvarint ntraced:uvarint
//	          (name:string index:uvarint group:uvarint info:uvarint)*
//	        [doc:string* ndocs:uvarint (name:string doc:string)*
//	        [ntiny:uvarint name:string* ncallers:uvarint (index:uvarint n:uvarint tiny:uvarint*)*
//	        [(column:uvarint [line:varint lines:varint endcolumn:uvarint])*
//	        [nleft:uvarint name:string* literals:uvarint unchosen:uvarint unfit:uvarint]]]]]]
//
// Lines that a table does not need are missing at its end. A line that is there only for a later
// one has zeros and empty texts. By line:
//
//   - third: sites that record values, by index in the table, with the names of receiver and
//     parameters and of results, _ for those without a name.
//   - fourth: functions with directives. First come the variables that hold groups, with their
//     packages. Then come the functions, sorted by name, whose ids count up from first. index is
//     that of the site plus 1, 0 if the function isn't instrumented; group counts from 0; info is
//     0, or for info functions 1 (NONE), 2 (ENTER) or 3 (EXIT).
//   - fifth: the first sentences of comments, of each of these functions, and of the variables that
//     hold groups, by the groups' names.
//   - sixth: functions that were left out because the compiler inlines them, so that they run as
//     part of calls of sites. Their names lack the package and the dot before the function. For
//     each site with some of them there is its index, and theirs.
//   - seventh: for each site where its body begins and ends: column of the brace, 0 if that is not
//     known and nothing follows; its line, less that of the func keyword; the lines to the closing
//     brace, and the column behind it.
//   - eighth: functions of the same files that are no sites: the names, without the package, of
//     those that the compiler inlines; how many function literals there are, how many that the user
//     didn't choose, and how many that can't be instrumented.
//
// name is the function's as runtime.FuncForPC returns it, line that of the func keyword, file an
// index into the table's files, counting from 0.
//
// # Events
//
// An Events block holds the records of one chunk: what one stream wrote until
// the chunk was full. A stream is one of the Go scheduler's Ps, below
// MaxStreams. Clocks decrease within it only by Skew. seq is unique in a file
// and increases along a stream; of blocks with the same seq the first counts.
//
//	payload = stream:uvarint seq:uvarint clock:uvarint goroutine:uvarint
//	          events:uvarint lost:uvarint record*
//	record  = v:uvarint ...
//
// clock is the time that the first record's delta counts from. goroutine is the
// id that runs at the start (0: none yet). events is the number of events in
// the block, and lost that of events that were dropped on this stream before
// it. v is delta<<2 | tag, delta being the ticks since the previous record.
//
//	tag 0  exit of the innermost open call
//	tag 1  enter, as predicted
//	tag 2  enter: site:uvarint token:svarint
//	tag 3  code:uvarint, then by code:
//	       1 Go       goroutine:uvarint            events that follow are this goroutine's
//	       2 Start    parent:uvarint origin:uvarint  the goroutine's first record
//	       3 End                                   the goroutine has ended
//	       4 Exit     site:uvarint token:uvarint   exit of a call that is not innermost here
//	       5 Panic    token:uvarint                a panic begins in the frame of that token
//	       6 Recover  token:uvarint                calls with greater tokens are gone
//	       7 Goexit   token:uvarint                runtime.Goexit begins
//	       8 Values   length:uvarint bytes         values of the event before, delta is 0: of an enter,
//	                                               exit, panic or info
//	       9 Skew     back:uvarint                 the clock went back by so many ticks; delta is 0
//	       64 Marker  length:uvarint, site:uvarint in so many bytes: the info function was called
//	       65 Error   length:uvarint, site:uvarint in so many bytes: the innermost call of the site
//	                  returns an error, its exit follows
//	       66 Long    length:uvarint, site:uvarint token:uvarint ticks:uvarint in so many bytes: a call
//	                  that took so many ticks ends; it has no enter and no exit
//	       67 Parked  length:uvarint, reason:uvarint in so many bytes: the goroutine stops running
//	       68 Waited  length:uvarint, total:uvarint reason:uvarint [ready:uvarint [waker:uvarint
//	                  [ago:uvarint [more:uvarint]]]] in so many bytes: the goroutine runs again, since
//	                  ago ticks, which it had not done for total ticks; for the last ready of them it
//	                  could have, since the goroutine waker had seen to it; so many more waits are in both
//	       69 Made    length:uvarint, objects:uvarint bytes:uvarint in so many bytes: the innermost call has
//	                  made so many heap objects, which take so many bytes, since the goroutine's event before
//	       70 Spawn   length:uvarint, goroutine:uvarint in so many bytes: a go statement of the running
//	                  goroutine makes that one
//	       > 70       length:uvarint bytes         unknown to this version: skipped
//
// A token is the distance in bytes from the top of the goroutine's stack to the frame of the
// function. It survives stack copying. A frame is gone exactly when an event with a smaller token
// of the same goroutine is seen.
//
// Encoder and decoder keep the same small state, fresh for each block. It is a
// stack of the calls that the running goroutine entered in this block, and a
// table of predictions. An enter's token is coded as the difference to the
// token of the call on top of the stack, modulo 2^32. If the stack is empty
// that token counts as 0. Go and End empty the stack. Exit removes the calls
// with greater tokens. Among those with the same token it removes the innermost
// of its site with what is above it, if there is one. Recover removes the calls
// with greater tokens.
//
// The prediction for an enter is a site and a difference. They followed the last time that the
// previous enter or exit was of the same site and direction. The table has 1024 entries, at first
// without a prediction. The one in use is
//
//	((site*2 + d) * 0x9E3779B1 mod 2^32) >> 22      d is 0 after an enter, 1 after an exit
//
// of the latest enter or exit (tags 0 to 2, code 4). It is number 0 at the start of the block and
// after Go and End. Tag 2 stores its site and difference there.
//
// # Types
//
// A type whose values were recorded. Ids of predeclared types are their kinds, as
// numbered in package reflect, and have no description. Those below FirstType have
// the meanings in types.go. Others count from FirstType. They are described before
// the first event that uses them, or in the same batch of blocks. What a type
// holds by value has smaller ids.
//
//	type = size:u16 id:uvarint kind:u8 name:string package:string rest, size bytes behind itself
//	rest = len:uvarint elem:uvarint                              of an array
//	       nfields:uvarint (name:string type:uvarint masked:u8)* of a struct
//
// name is what fmt's %T prints. Kind 64 is no type but a function, with its name: what
// values of kind func lead to.
//
// # Values
//
// Arguments (receiver first), results, or the value of a panic, one after the other;
// those that found no room are missing at the end. value(T) depends on the type's kind:
//
//	dynamic  = type:uvarint value(type)    nothing follows types TypeNil, TypeMasked and TypeUnread,
//	                                       TypeText is followed by the type's id and a string
//	bool, uint8                u8
//	int...                     svarint
//	uint..., unsafe.Pointer    uvarint
//	float32, float64           u32, u64: the bits; complex numbers are two of them
//	string                     n<<1|cut:uvarint [length:uvarint] n bytes; cut if length, which is
//	                           only then there, is greater
//	struct                     n:u16, value of the first n fields but those that are masked
//	array                      n:u16, value(elem) of the first n elements
//	slice                      0:u8 if nil, else 1:u8 length:uvarint elem:uvarint n:u16, n elements
//	pointer                    0:u8 if nil, 1:u8 address:uvarint, 2:u8 and what it points to: dynamic,
//	                           or 3:u8 and both
//	interface                  dynamic
//	map                        0:u8 if nil, 1:u8 address:uvarint if it could not be read,
//	                           2:u8 length:uvarint, or 3:u8 length:uvarint key:uvarint elem:uvarint
//	                           n:u16, n times a value of the key's type, masked:u8, and unless
//	                           masked is 1 a value of the element's
//	chan                       as the first three of a map, with the length and the capacity
//	func                       id of the function:uvarint, TypeNil or TypeUnread
//
// Lengths are what the program's memory said at that moment: while other goroutines
// write there they may be anything.
//
// # Arena
//
// The arena is a file next to the trace file. The recording program maps it
// shared. Events lie in it from the moment they happen until the background
// writer has written them to the trace file. It outlives a killed process: the
// first reader of the trace file completes it from the arena.
//
//	arena   = control chunk*           each ChunkSize bytes
//	control = "wmarena\n" version:u32 chunk_size:u32 pid:u32 part:u32 nonce:[16]byte
//	          clock:u64 mono_ns:u64    the latest pair read together
//	          origins:u32              bytes in use at OriginsOffset, written last
//	          types:u32                number of the first chunk of types, 0 if there is none
//	          before:u64               clock until which overwritten chunks were filled
//	          stopped:u32              End's flags Full and Failed if the file could not get its End
//	          journal:u32              number of the journal's chunk, 0 if there is none
//	          (at OriginsOffset) entry*
//	entry   = pc:u64 line:u32 nfunc:u16 nfile:u16 func file, padded to 8
//	chunk   = state:u32 stream:u32 seq:u64 clock:u64 goroutine:u64 end:u32 flags:u32 lost:u64 filled:u64 0:u64 record*
//	record  = clock:u64 word:u64
//
// origin ids count the entries from 1. A chunk's state is ChunkFree, ChunkActive,
// ChunkFull, ChunkTypes or ChunkJournal. Records of an active chunk are valid up to the first whose
// clock is smaller than the chunk's. word is stored before clock, and what an earlier use of the
// chunk left behind is older. A full chunk is valid up to end; filled is the clock when it was. A
// ring overwrites full chunks in the order of filled; it stores before, then ChunkFree, then the
// chunk's new header. A chunk of types holds descriptions instead of records, up to end, which is
// written last. In place of goroutine it has the number of the next chunk of types, 0 if it is the
// last. The journal holds test events as a Tests block has them, up to end, which is written last.
// They are in the trace file, too, if a kill came after they were written there.
//
// part is that of the trace file which gets the chunks, 0 if recordings are not
// rotated. part changes after the new file has its name. So a file with a later
// part than the arena's is the right one too. A file with an earlier one is
// complete but perhaps for its End.
//
//	word = exit:1 site:31 token:32      site < FirstCode
//	word = 0:1 0x7F:7 code:8 value:48   code as in the file; value is the goroutine,
//	                                    parent, origin (code 10), token or length
//
// Origin (code 10) follows Start, in the same chunk. Values are followed by length
// bytes, rounded up to whole records, which are stored before the clock of their
// record. Such bytes may look like a record of any time. Flag 1 of a chunk's header
// says that it held some. Such a chunk is cleared before it is handed out again.
//
// Made's value is the number of objects. One record follows, whose word is the bytes, and whose clock is 0.
//
// Ints (code 11) are values too, of predeclared integer types only, and in the arena
// only: encoding takes time that the program need not spend. value is n + kind<<3 +
// kind<<8 + kind<<13 + kind<<18 for n up to 4; n numbers of 64 bits follow, in whole records.
//
// Long's value is the token. One record follows, of the site and the ticks, which is stored before
// the clock of the Long as values are. It needs no flag 1: as a record it would be older than any
// chunk, because a site's id is smaller than a clock.
//
// Waited's value is the waker's id from bit 4 on, and the reason. One record follows, of total and ready,
// and goes for it what is said of Long's: no time is as long as a clock. waits.go has the reasons. A
// Parked is missing where it found no room; the Waited after it says all that it would have said. Where
// both are in one chunk, Void (code 12) has taken the place of the Parked; the file has neither.
// Late (code 13) is a Waited that found no room when the goroutine ran again, and comes before its
// next event. A second record follows, of ago and more. The goroutine may have waited again before
// there was room. Then total and ready are of all these waits, reason and waker those of the
// longest, and more is their number less one. A Late also tells how long a new goroutine was ready
// before it ran: the goroutine has no event then.
package format
