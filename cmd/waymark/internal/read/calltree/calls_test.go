package calltree

import (
	"fmt"
	"strings"
	"testing"
)

func TestCalls(t *testing.T) {
	none := Problems{}
	for _, tt := range []struct {
		name, events, want string
		problems           Problems
	}{
		{"return", "A1 B2 B3 B4 b4 b3 b2 a1 .", "(A(B(B(B))))", none},
		{"recovered by a caller",
			"F1 C2 D4 E5 !6 ^2 c2 B2 b2 f1 .",
			"(F(C(D(E!)!)!r)(B))", none},
		{"recursion recovered midway by an uninstrumented function",
			"G1 G2 G3 G5 G6 !7 ^4 B4 b4 g3 B3 b3 g2 B2 b2 g1 .",
			"(G(G(G(G(G!)!)(B))(B))(B))", none},
		{"recovered outside all calls", "D3 E4 !5 ^2 B2 b2 .", "(D(E!)!)(B)", none},
		{"a deferred call panics anew",
			"H1 D2 E3 !4 D6 E7 !8 ^1 h1 .",
			"(H(D(E(D(E!)!)!)!)!r)", none},
		{"a panic recovered in a deferred call while another runs",
			"I1 D2 E3 !4 C6 D7 E8 !9 ^6 c6 ^1 i1 .",
			"(I(D(E(C(D(E!)!)!r)!)!)!r)", none},
		{"recovered again and again",
			strings.Repeat("D3 E4 !5 ^2 B2 b2 ", 2) + "D3 E4 !5 ^2 .",
			"(D(E!)!)(B)(D(E!)!)(B)(D(E!)!)", none},
		{"a server's loop", "J1 D3 E4 !5 ^2 B2 b2 D3 E4 !5 ^2 B2 b2 j1 .", "(J(D(E!)!)(B)(D(E!)!)(B))", none},
		{"exit from a deferred call", "K1 B2 b2 k1 .", "(K(B))", none},
		{"deep stack", deep(300), strings.Repeat("(L", 300) + strings.Repeat(")", 300), none},

		{"recovered by the panicking function", "A1 B2 !2 ^2 b2 a1 .", "(A(B!r))", none},
		{"a panic within runtime, recovered by the function", "A1 B2 !9 ^2 b2 a1 .", "(A(B!r))", none},
		{"exits from deferred calls during a panic",
			"A1 B2 C3 !4 D6 d6 c3 D6 d6 b2 D6 d6 ^1 a1 .",
			"(A(B(C(D)!)(D)!)(D)!r)", none},
		{"panic after a recovery in the same call",
			"A1 B2 !3 ^2 C3 c3 !3 b2 ^1 a1 .",
			"(A(B(C)!r)!r)", none},
		{"a second panic, in an uninstrumented deferred function, recovered there",
			"A1 B2 !3 !6 ^5 C6 c6 b2 ^1 a1 .",
			"(A(B(C)!)!r)", none},
		{"deferred call that recovers nothing of its caller's panic",
			"A1 !1 B4 C5 !6 ^4 b4 B4 b4 ^1 a1 .",
			"(A(B(C!)!r)(B)!r)", none},
		{"errors", "A1 B2 %2 b2 C2 c2 %1 a1 .", "(A(Be)(C)e)", none},
		{"an error that is returned by a function that was inlined", "A1 B1 %2 b1 a1 .", "(A(Be))", none},
		{"an error of a call that isn't open", "A1 %7 a1 .", "(A)", none},
		{"Goexit", "A1 B2 C3 /3 D6 d6 b2 D6 d6 .", "(A(B(C(D)g)g)(D)g)", none},
		{"Goexit goes on after a panic on top of it was recovered",
			"A1 B2 /2 D6 !7 ^3 b2 .", "(A(B(D!)g)g)", none},
		{"a panic in a deferred call overtakes Goexit, and is recovered further out, where Goexit goes on",
			"A1 B2 C3 D4 /4 E6 !6 c3 ^2 /2 F8 f8 b2 .", "(A(B(C(D(E!)g)!)(F)!rg)g)", none},
		{"Goexit in a deferred call overtakes a panic", "A1 B2 C3 !3 D6 E7 /7 b2 .", "(A(B(C(D(Eg)g)!)g)g)", none},
		{"fatal panic", "A1 B2 !3 C5 c5", "(A(B(C)!~)!~)", none},
		{"open at the end", "A1 B2 C3 c3", "(A(B(C)~)~)", none},

		{"inlined: caller and callee share a token", "A1 B1 b1 B1 b1 a1 .", "(A(B)(B))", none},
		{"inlined: panic unwinds the callee", "A1 B1 C1 !2 ^1 a1 .", "(A(B(C!)!)!r)", none},
		{"inlined: the outer one exits, as the callee's exit is gone", "A1 B1 a1 .", "(A(B?))", Problems{Cut: 1}},

		{"exit lost, seen by the caller's exit", "A1 B2 C3 b2 a1 .", "(A(B(C?)))", Problems{Cut: 1}},
		{"exit lost, seen by an enter", "A1 B2 C3 B2 b2 a1 .", "(A(B(C?)?)(B))", Problems{Cut: 2}},
		{"exit lost, seen by the goroutine's end", "A1 B2 .", "(A(B?)?)", Problems{Cut: 2}},
		{"enter lost", "A1 c3 B2 c3 b2 a1 b2 .", "(A(B))", Problems{Unmatched: 3}},
		{"recover lost", "A1 B3 !4 C2 c2 a1 .", "(A(B!)(C))", none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, r := build(t, tt.events, Options{Goroutines: true})
			if got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.events, got, tt.want)
			}
			if r.Problems != tt.problems {
				t.Errorf("problems %+v, want %+v", r.Problems, tt.problems)
			}
			r.Problems = Problems{}
			if err := r.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "L%d ", i)
	}
	for i := n; i >= 1; i-- {
		fmt.Fprintf(&b, "l%d ", i)
	}
	return b.String() + "."
}
