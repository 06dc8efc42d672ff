// Package actions writes traces as files of actions, in XML, as tools for Java do:
//
//	<trace-file unit="ns" start="1732300000122000000">
//	  <trace key="18-1503201" goroutine="18">1732300000123456789,START,main.handle|1732300000123460000,START,main.query|...</trace>
//	</trace-file>
//
// An element has what one goroutine did in a trace: actions, separated by bars. An action is a time
// since 1970, in ms unless unit is ns; START, END or EXCEPTION; and the name of a function. In names
// the characters | , and % are written as in URLs. A goroutine that another one of the trace has
// started has an element of its own behind that one's, whose key is its attribute parent. Start is
// the time that keys count from. Files of other tools have neither unit nor start, goroutine or
// parent.
//
// The package goes without encoding/xml, which traced programs would link and initialise with it.
package actions
