package main

// A Row is a customer of a bank, in 32 bits.
type Row struct{ bits uint32 }

// The fields of a row, by the place of their bits.
const (
	gender field = iota
	age
	height
	amount
)

const male = 1

type field int

// shift returns where the bits of a field begin. mask returns as many low bits as the field has.
func (f field) shift() uint { return [...]uint{0, 1, 8, 16}[f] }
func (f field) mask() uint32 {
	return [...]uint32{1<<1 - 1, 1<<7 - 1, 1<<8 - 1, 1<<14 - 1}[f]
}

func (r *Row) SetGender(v int) { r.set(gender, v) }
func (r *Row) SetAge(v int)    { r.set(age, v) }
func (r *Row) SetHeight(v int) { r.set(height, v) }
func (r *Row) SetAmount(v int) { r.set(amount, v) }

func (r *Row) Gender() int { return r.get(gender) }
func (r *Row) Age() int    { return r.get(age) }
func (r *Row) Height() int { return r.get(height) }
func (r *Row) Amount() int { return r.get(amount) }

func (r *Row) set(f field, v int) {
	r.bits = r.bits&^(f.mask()<<f.shift()) | (uint32(v)&f.mask())<<f.shift()
}

func (r *Row) get(f field) int { return int(r.bits >> f.shift() & f.mask()) }
