// Package ui serves the pages of waymark serve to a browser on this machine.
//
//	s := ui.New("shop")
//	s.AddPage(ui.Page{Name: "timeline", Title: "Timeline"}) // assets/pages/timeline.js
//	s.HandleJSON("GET /api/timeline", timeline.Lanes)
//	listener, err := ui.Listen("127.0.0.1:0")
//	fmt.Println(s.URL(listener.Addr()))
//	err = s.Serve(ctx, listener)
//
// The pages are ES modules and style sheets in the folder assets, which the command embeds as they
// are. Each page is a module with a function show; app.js calls it when the part of the address
// after the # names the page. Answers below /api/ are JSON; an error is {"error": "..."}.
//
// A page asks for what is on the screen, and never for a whole recording.
package ui
