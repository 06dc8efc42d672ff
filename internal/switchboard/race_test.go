//go:build race

package switchboard_test

const raceEnabled = true
