//go:build !unix

package sampler

import "time"

func processTime() time.Duration { return elapsed() }

func systemCall() (f, end func()) { return nil, nil }
