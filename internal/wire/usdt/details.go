package usdt

import (
	"encoding/json"
	"fmt"
)

// Details is what waymark tells of providers beyond the notes: the section .waymark.probes has it, as
// JSON.
type Details struct {
	Providers []Provider `json:"providers"`
}

// A Provider is a set of probes.
type Provider struct {
	Name       string     `json:"name"`
	Module     string     `json:"module,omitempty"`
	Attributes Attributes `json:"attributes"`
	Probes     []Probe    `json:"probes"`
}

// Attributes say how stable a provider's interface is, each as NAME/DATA/DEPENDENCY: the stability of
// the name, of the data, and what it depends on. Empty ones are unknown.
type Attributes struct {
	Provider string `json:"provider,omitempty"`
	Module   string `json:"module,omitempty"`
	Function string `json:"function,omitempty"`
	Name     string `json:"name,omitempty"`
	Args     string `json:"args,omitempty"`
}

// A Probe is a place that tracers can attach to.
type Probe struct {
	Name     string   `json:"name"`
	Function string   `json:"function,omitempty"`
	Args     []string `json:"args,omitempty"` // Go types: int, string
}

// Encode returns the section of the details.
func (d *Details) Encode() ([]byte, error) { return json.Marshal(d) }

// DecodeDetails returns the details of a section. Bytes of 0 at its end are passed over.
func DecodeDetails(section []byte) (*Details, error) {
	for len(section) > 0 && section[len(section)-1] == 0 {
		section = section[:len(section)-1]
	}
	d := new(Details)
	if err := json.Unmarshal(section, d); err != nil {
		return nil, fmt.Errorf("%s: %w", DetailsSection, err)
	}
	return d, nil
}
