package probe

import "unsafe"

// MaxArgs is the number of arguments that a probe has at most, as tracers know arg0 to arg11.
const MaxArgs = 12

// The compiler inlines Fire of up to four arguments, so that a probe at which nobody looks costs
// two loads and no call. The condition is written out because of the compiler's budget. See
// state.word for what it reads. Fire of more arguments costs a call; Enabled, which is inlined,
// tells before.

// A P0 is a probe without arguments, a field of a provider. Probes of more arguments, P1 to P12, have
// their types. The zero P0 does nothing until its provider is registered.
type P0 struct{ state }

// Fire fires the probe: whoever looks at it is told. It does nothing if nobody looks.
//
//go:norace
func (p *P0) Fire() {
	if p.word != nil && *p.word != 0 {
		p.told()
	}
}

//go:noinline
func (p *P0) told() {
	var v values
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P0) bind() (*state, []argument) { return &p.state, nil }

// A P1 is a probe of one argument.
type P1[A any] struct{ state }

// Fire fires the probe: whoever looks at it is told the argument. It does nothing if nobody looks.
//
//go:norace
func (p *P1[A]) Fire(a A) {
	if p.word != nil && *p.word != 0 {
		p.told(a)
	}
}

//go:noinline
func (p *P1[A]) told(a A) {
	if keep {
		kept = []any{a}
	}
	v := values{hide(unsafe.Pointer(&a))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P1[A]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A]()}
}

// A P2 is a probe of 2 arguments.
type P2[A, B any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P2[A, B]) Fire(a A, b B) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b)
	}
}

//go:noinline
func (p *P2[A, B]) told(a A, b B) {
	if keep {
		kept = []any{a, b}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P2[A, B]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B]()}
}

// A P3 is a probe of 3 arguments.
type P3[A, B, C any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P3[A, B, C]) Fire(a A, b B, c C) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c)
	}
}

//go:noinline
func (p *P3[A, B, C]) told(a A, b B, c C) {
	if keep {
		kept = []any{a, b, c}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P3[A, B, C]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C]()}
}

// A P4 is a probe of 4 arguments.
type P4[A, B, C, D any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P4[A, B, C, D]) Fire(a A, b B, c C, d D) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d)
	}
}

//go:noinline
func (p *P4[A, B, C, D]) told(a A, b B, c C, d D) {
	if keep {
		kept = []any{a, b, c, d}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P4[A, B, C, D]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D]()}
}

// A P5 is a probe of 5 arguments.
type P5[A, B, C, D, E any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P5[A, B, C, D, E]) Fire(a A, b B, c C, d D, e E) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d, e)
	}
}

//go:noinline
func (p *P5[A, B, C, D, E]) told(a A, b B, c C, d D, e E) {
	if keep {
		kept = []any{a, b, c, d, e}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d)), hide(unsafe.Pointer(&e))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P5[A, B, C, D, E]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D](), argumentOf[E]()}
}

// A P6 is a probe of 6 arguments.
type P6[A, B, C, D, E, F any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P6[A, B, C, D, E, F]) Fire(a A, b B, c C, d D, e E, f F) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d, e, f)
	}
}

//go:noinline
func (p *P6[A, B, C, D, E, F]) told(a A, b B, c C, d D, e E, f F) {
	if keep {
		kept = []any{a, b, c, d, e, f}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d)), hide(unsafe.Pointer(&e)), hide(unsafe.Pointer(&f))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P6[A, B, C, D, E, F]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D](), argumentOf[E](), argumentOf[F]()}
}

// A P7 is a probe of 7 arguments.
type P7[A, B, C, D, E, F, G any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P7[A, B, C, D, E, F, G]) Fire(a A, b B, c C, d D, e E, f F, g G) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d, e, f, g)
	}
}

//go:noinline
func (p *P7[A, B, C, D, E, F, G]) told(a A, b B, c C, d D, e E, f F, g G) {
	if keep {
		kept = []any{a, b, c, d, e, f, g}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d)), hide(unsafe.Pointer(&e)), hide(unsafe.Pointer(&f)), hide(unsafe.Pointer(&g))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P7[A, B, C, D, E, F, G]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D](), argumentOf[E](), argumentOf[F](), argumentOf[G]()}
}

// A P8 is a probe of 8 arguments.
type P8[A, B, C, D, E, F, G, H any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P8[A, B, C, D, E, F, G, H]) Fire(a A, b B, c C, d D, e E, f F, g G, h H) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d, e, f, g, h)
	}
}

//go:noinline
func (p *P8[A, B, C, D, E, F, G, H]) told(a A, b B, c C, d D, e E, f F, g G, h H) {
	if keep {
		kept = []any{a, b, c, d, e, f, g, h}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d)), hide(unsafe.Pointer(&e)), hide(unsafe.Pointer(&f)), hide(unsafe.Pointer(&g)), hide(unsafe.Pointer(&h))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P8[A, B, C, D, E, F, G, H]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D](), argumentOf[E](), argumentOf[F](), argumentOf[G](), argumentOf[H]()}
}

// A P9 is a probe of 9 arguments.
type P9[A, B, C, D, E, F, G, H, I any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P9[A, B, C, D, E, F, G, H, I]) Fire(a A, b B, c C, d D, e E, f F, g G, h H, i I) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d, e, f, g, h, i)
	}
}

//go:noinline
func (p *P9[A, B, C, D, E, F, G, H, I]) told(a A, b B, c C, d D, e E, f F, g G, h H, i I) {
	if keep {
		kept = []any{a, b, c, d, e, f, g, h, i}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d)), hide(unsafe.Pointer(&e)), hide(unsafe.Pointer(&f)), hide(unsafe.Pointer(&g)), hide(unsafe.Pointer(&h)), hide(unsafe.Pointer(&i))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P9[A, B, C, D, E, F, G, H, I]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D](), argumentOf[E](), argumentOf[F](), argumentOf[G](), argumentOf[H](), argumentOf[I]()}
}

// A P10 is a probe of 10 arguments.
type P10[A, B, C, D, E, F, G, H, I, J any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P10[A, B, C, D, E, F, G, H, I, J]) Fire(a A, b B, c C, d D, e E, f F, g G, h H, i I, j J) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d, e, f, g, h, i, j)
	}
}

//go:noinline
func (p *P10[A, B, C, D, E, F, G, H, I, J]) told(a A, b B, c C, d D, e E, f F, g G, h H, i I, j J) {
	if keep {
		kept = []any{a, b, c, d, e, f, g, h, i, j}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d)), hide(unsafe.Pointer(&e)), hide(unsafe.Pointer(&f)), hide(unsafe.Pointer(&g)), hide(unsafe.Pointer(&h)), hide(unsafe.Pointer(&i)), hide(unsafe.Pointer(&j))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P10[A, B, C, D, E, F, G, H, I, J]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D](), argumentOf[E](), argumentOf[F](), argumentOf[G](), argumentOf[H](), argumentOf[I](), argumentOf[J]()}
}

// A P11 is a probe of 11 arguments.
type P11[A, B, C, D, E, F, G, H, I, J, K any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P11[A, B, C, D, E, F, G, H, I, J, K]) Fire(a A, b B, c C, d D, e E, f F, g G, h H, i I, j J, k K) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d, e, f, g, h, i, j, k)
	}
}

//go:noinline
func (p *P11[A, B, C, D, E, F, G, H, I, J, K]) told(a A, b B, c C, d D, e E, f F, g G, h H, i I, j J, k K) {
	if keep {
		kept = []any{a, b, c, d, e, f, g, h, i, j, k}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d)), hide(unsafe.Pointer(&e)), hide(unsafe.Pointer(&f)), hide(unsafe.Pointer(&g)), hide(unsafe.Pointer(&h)), hide(unsafe.Pointer(&i)), hide(unsafe.Pointer(&j)), hide(unsafe.Pointer(&k))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P11[A, B, C, D, E, F, G, H, I, J, K]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D](), argumentOf[E](), argumentOf[F](), argumentOf[G](), argumentOf[H](), argumentOf[I](), argumentOf[J](), argumentOf[K]()}
}

// A P12 is a probe of 12 arguments.
type P12[A, B, C, D, E, F, G, H, I, J, K, L any] struct{ state }

// Fire fires the probe: whoever looks at it is told the arguments. It does nothing if nobody looks.
//
//go:norace
func (p *P12[A, B, C, D, E, F, G, H, I, J, K, L]) Fire(a A, b B, c C, d D, e E, f F, g G, h H, i I, j J, k K, l L) {
	if p.word != nil && *p.word != 0 {
		p.told(a, b, c, d, e, f, g, h, i, j, k, l)
	}
}

//go:noinline
func (p *P12[A, B, C, D, E, F, G, H, I, J, K, L]) told(a A, b B, c C, d D, e E, f F, g G, h H, i I, j J, k K, l L) {
	if keep {
		kept = []any{a, b, c, d, e, f, g, h, i, j, k, l}
	}
	v := values{hide(unsafe.Pointer(&a)), hide(unsafe.Pointer(&b)), hide(unsafe.Pointer(&c)), hide(unsafe.Pointer(&d)), hide(unsafe.Pointer(&e)), hide(unsafe.Pointer(&f)), hide(unsafe.Pointer(&g)), hide(unsafe.Pointer(&h)), hide(unsafe.Pointer(&i)), hide(unsafe.Pointer(&j)), hide(unsafe.Pointer(&k)), hide(unsafe.Pointer(&l))}
	p.fire(hide(unsafe.Pointer(&v)))
}

func (p *P12[A, B, C, D, E, F, G, H, I, J, K, L]) bind() (*state, []argument) {
	return &p.state, []argument{argumentOf[A](), argumentOf[B](), argumentOf[C](), argumentOf[D](), argumentOf[E](), argumentOf[F](), argumentOf[G](), argumentOf[H](), argumentOf[I](), argumentOf[J](), argumentOf[K](), argumentOf[L]()}
}
