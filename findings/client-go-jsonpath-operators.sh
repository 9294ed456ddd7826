#!/bin/sh
# client-go 0.35.0, util/jsonpath (what kubectl -o jsonpath and kubectl wait --for=jsonpath= run).
# Guess: a filter with an operator that does not exist, such as `[?(@.type~"R")]`, is a syntax error.
# Seen: it parses. The whole text becomes the name of a field that no item has, so the filter selects nothing, and with missing keys
# allowed, as kubectl does, the result is empty without an error: a wait for it ends only at its timeout. `=` parses too, and fails when
# an item is compared; only `=~` is rejected as syntax.
# Output seen:
#   ==   parsed, [a]
#   ~    parsed, []
#   =~   error: unrecognized character in action: U+007E '~'
#   =    parsed, error: unrecognized filter operator =
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
cat > main.go <<'GO'
package main

import (
	"fmt"

	"k8s.io/client-go/util/jsonpath"
)

func main() {
	items := []any{map[string]any{"type": "Ready", "name": "a"}, map[string]any{"type": "Other", "name": "b"}}
	for _, operator := range []string{"==", "~", "=~", "="} {
		path := jsonpath.New("").AllowMissingKeys(true)
		if err := path.Parse(`{.items[?(@.type` + operator + `"Ready")].name}`); err != nil {
			fmt.Printf("%-4s error: %v\n", operator, err)
			continue
		}
		found, err := path.FindResults(map[string]any{"items": items})
		if err != nil {
			fmt.Printf("%-4s parsed, error: %v\n", operator, err)
			continue
		}
		names := []any{}
		for _, each := range found[0] {
			names = append(names, each.Interface())
		}
		fmt.Printf("%-4s parsed, %v\n", operator, names)
	}
}
GO
export GOPATH="$dir/go" GOFLAGS=-mod=mod
go mod init finding > /dev/null 2>&1
go get k8s.io/client-go@v0.35.0 > /dev/null 2>&1
go run . > out
cat out
printf '%s\n' '==   parsed, [a]' '~    parsed, []' "=~   error: unrecognized character in action: U+007E '~'" '=    parsed, error: unrecognized filter operator =' > want
cmp out want
