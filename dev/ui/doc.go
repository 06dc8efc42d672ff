// Package ui tests the pages of waymark serve in Debian's Chromium: make test-ui.
//
// The tests run the command on recordings of real programs and click through the pages. They
// compare what the pages show with what waymark report and its likes print as JSON. Screenshots of
// all pages, light and dark, wide and narrow, are in bin/ui afterwards. Package browser has what
// such tests need. TestSite searches the documents as make docs writes them.
package ui
