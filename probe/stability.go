package probe

import (
	"errors"
	"fmt"
	"strings"
)

// A Stability says how far others may rely on a name or on data, as DTrace puts it.
type Stability uint8

const (
	Private  Stability = iota // for those who wrote it; the zero Stability
	Internal                  // an accident of how it is made
	Obsolete                  // it goes away
	External                  // somebody else decides
	Unstable                  // it may change at any time
	Evolving                  // it may change in a minor release
	Stable                    // it stays in all minor releases
	Standard                  // a standard says so
)

var stabilities = []string{"Private", "Internal", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard"}

func (s Stability) String() string {
	if int(s) < len(stabilities) {
		return stabilities[s]
	}
	return fmt.Sprintf("Stability(%d)", uint8(s))
}

// A Dependency says what a name or data depends on.
type Dependency uint8

const (
	Unknown  Dependency = iota // the zero Dependency
	CPU                        // the processor's model
	Platform                   // the machine
	Group                      // a family of machines
	ISA                        // the instruction set
	Common                     // nothing: it is the same on all systems
)

var dependencies = []string{"Unknown", "CPU", "Platform", "Group", "ISA", "Common"}

func (d Dependency) String() string {
	if int(d) < len(dependencies) {
		return dependencies[d]
	}
	return fmt.Sprintf("Dependency(%d)", uint8(d))
}

// Attributes say how stable a part of an interface is. The zero value is Private/Private/Unknown.
type Attributes struct {
	Name       Stability
	Data       Stability
	Dependency Dependency
}

// String returns the attributes as DTrace writes them: Stable/Evolving/Common.
func (a Attributes) String() string {
	return a.Name.String() + "/" + a.Data.String() + "/" + a.Dependency.String()
}

// ParseAttributes returns the attributes that String has written, in letters of any case.
func ParseAttributes(text string) (a Attributes, err error) {
	parts := strings.Split(text, "/")
	if len(parts) == 3 {
		name, ok1 := index(stabilities, parts[0])
		data, ok2 := index(stabilities, parts[1])
		dependency, ok3 := index(dependencies, parts[2])
		if ok1 && ok2 && ok3 {
			return Attributes{Stability(name), Stability(data), Dependency(dependency)}, nil
		}
	}
	return a, fmt.Errorf("%q are no attributes: want NAME/DATA/DEPENDENCY, the first two of %s, the third of %s", text,
		strings.Join(stabilities, ", "), strings.Join(dependencies, ", "))
}

func index(list []string, text string) (int, bool) {
	for i, one := range list {
		if strings.EqualFold(one, text) {
			return i, true
		}
	}
	return 0, false
}

// AttributeSets are the attributes of a provider's parts: of its name, of module and function names, of
// probes' names and of arguments. The tag of an embedded Provider sets them:
//
//	probe.Provider `stability:"provider=Stable/Stable/Common,args=Evolving/Evolving/ISA"`
type AttributeSets struct {
	Provider, Module, Function, Name, Args Attributes
}

// ParseAttributeSets returns the attributes of the tag stability of an embedded Provider.
func ParseAttributeSets(tag string) (AttributeSets, error) {
	sets, wrong := parseSets(tag)
	if wrong != "" {
		return AttributeSets{}, errors.New(wrong)
	}
	return sets, nil
}

// parseSets returns the attributes of a tag, or what is wrong with it.
func parseSets(tag string) (sets AttributeSets, wrong string) {
	if tag == "" {
		return sets, ""
	}
	for _, item := range strings.Split(tag, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		of, ok := map[string]*Attributes{
			"provider": &sets.Provider, "module": &sets.Module, "function": &sets.Function, "name": &sets.Name, "args": &sets.Args,
		}[key]
		if !ok {
			return sets, fmt.Sprintf("the tag stability:%q has %q, want provider, module, function, name or args", tag, key)
		}
		var err error
		if *of, err = ParseAttributes(value); err != nil {
			return sets, fmt.Sprintf("the tag stability:%q, %s: %v", tag, key, err)
		}
	}
	return sets, ""
}
