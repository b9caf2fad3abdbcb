package main

import (
	"bufio"
	"encoding/json"
	"os"

	"sigs.k8s.io/yaml"
)

type out struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Error string          `json:"error,omitempty"`
}

func one(text []byte) (o out) {
	defer func() {
		if r := recover(); r != nil {
			o = out{Error: "panic"}
		}
	}()
	j, err := yaml.YAMLToJSON(text)
	if err != nil {
		return out{Error: err.Error()}
	}
	return out{JSON: j}
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<26)
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	dec := json.NewDecoder(in)
	enc := json.NewEncoder(w)
	for {
		var s string
		if err := dec.Decode(&s); err != nil {
			return
		}
		enc.Encode(one([]byte(s)))
	}
}
