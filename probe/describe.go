package probe

import (
	"reflect"
	"strings"
)

// A field of a provider's struct is a probe if its address has this.
type field interface {
	bind() (*state, []argument)
}

// describe returns what the struct that p points to says of its provider, and the fields that are
// probes. Nothing is registered yet.
func describe(p Interface) (*live, []*state, error) {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil, nil, &ProviderError{typeName(p), ErrProvider}
	}
	v = v.Elem()
	l := &live{owner: p.provider(), of: v.Type()}
	if !l.embedded(v) {
		return nil, nil, &ProviderError{typeName(p), ErrProvider}
	}
	var fields []*state
	for i := 0; i < v.NumField(); i++ {
		f, at := v.Type().Field(i), v.Field(i).Addr().UnsafePointer()
		wrong := func(reason string) error {
			return &FieldError{Provider: v.Type().String(), Field: f.Name, Type: f.Type, Reason: reason}
		}
		if f.Anonymous && f.Type == providerType {
			if reason := l.read(f.Tag); reason != "" {
				return nil, nil, wrong(reason)
			}
			continue
		}
		if f.Tag.Get("probe") == "-" || f.Name == "_" {
			continue
		}
		one, ok := reflect.NewAt(f.Type, at).Interface().(field)
		if !ok {
			return nil, nil, wrong(`no probe: want a type from probe.P0 to probe.P12, or the tag probe:"-" for a field that is something else`)
		}
		s, args := one.bind()
		probe := &Probe{live: l, index: len(l.probes), field: f.Name, name: f.Name, args: args}
		if reason := probe.read(f.Tag); reason != "" {
			return nil, nil, wrong(reason)
		}
		for _, other := range l.probes {
			if other.name == probe.name {
				return nil, nil, &DuplicateError{What: "probe", Name: probe.name, Provider: v.Type().String(), Fields: [2]string{other.field, f.Name}}
			}
		}
		l.probes = append(l.probes, probe)
		fields = append(fields, s)
	}
	if l.owner.name != "" {
		l.name = l.owner.name
	}
	if l.name == "" {
		l.name = v.Type().Name()
	}
	if l.name == "" {
		return nil, nil, &ProviderError{typeName(p), ErrName}
	}
	return l, fields, nil
}

var providerType = reflect.TypeOf(Provider{})

// embedded reports whether the struct embeds the provider itself, and not something that has one.
func (l *live) embedded(v reflect.Value) bool {
	for i := 0; i < v.NumField(); i++ {
		f := v.Type().Field(i)
		if f.Anonymous && f.Type == providerType && (*Provider)(v.Field(i).Addr().UnsafePointer()) == l.owner {
			return true
		}
	}
	return false
}

func typeName(p Interface) string {
	if p == nil {
		return "nil"
	}
	return reflect.TypeOf(p).String()
}

// read takes in the tags of a provider. It returns what is wrong with them.
func (l *live) read(tag reflect.StructTag) (wrong string) {
	var options map[string]string
	if l.name, options, wrong = split(tag.Get("probe"), "module"); wrong != "" {
		return wrong
	}
	l.module = options["module"]
	l.sets, wrong = parseSets(tag.Get("stability"))
	return wrong
}

// read takes in the tag of a probe.
func (p *Probe) read(tag reflect.StructTag) (wrong string) {
	name, options, wrong := split(tag.Get("probe"), "function")
	if name != "" {
		p.name = name
	}
	p.function = options["function"]
	if tag.Get("stability") != "" {
		wrong = "a probe has no stability of its own: put the tag to the embedded probe.Provider"
	}
	return wrong
}

// split returns the name that a tag begins with, and its options, of which there is one.
func split(tag, option string) (name string, options map[string]string, wrong string) {
	name, rest, _ := strings.Cut(tag, ",")
	options = make(map[string]string)
	for rest != "" {
		var item string
		item, rest, _ = strings.Cut(rest, ",")
		key, value, ok := strings.Cut(item, "=")
		if !ok || key != option || value == "" {
			return "", nil, "the tag probe:\"" + tag + "\" has " + item + ", want NAME," + option + "=NAME"
		}
		options[key] = value
	}
	return name, options, ""
}

// A Description says what a live provider is.
type Description struct {
	Name      string
	Module    string
	Stability AttributeSets
	Sinks     []string // what its probes go to: USDT, Record, ...
	Probes    []ProbeDescription
}

// A ProbeDescription says what a probe is.
type ProbeDescription struct {
	Name     string
	Function string
	Args     []string // types
	Enabled  bool     // somebody looks
}

// Providers returns what the live providers of the program are, in the order of their registration.
func Providers() []Description {
	registry.mu.Lock()
	list := append([]*live(nil), registry.list...)
	registry.mu.Unlock()
	var all []Description
	for _, l := range list {
		all = append(all, l.description())
	}
	return all
}

func (l *live) description() Description {
	d := Description{Name: l.name, Module: l.module, Stability: l.sets}
	for _, s := range l.sinks {
		d.Sinks = append(d.Sinks, s.name())
	}
	for _, p := range l.probes {
		one := ProbeDescription{Name: p.name, Function: p.function, Enabled: p.Enabled()}
		for _, t := range p.Types() {
			one.Args = append(one.Args, t.String())
		}
		d.Probes = append(d.Probes, one)
	}
	return d
}
