#!/bin/sh
# Helm 3.22.0, `helm template` (and install, upgrade) of a chart with a subchart.
# Guess: `--set global.KEY=null` deletes the key for the subchart too, or leaves the subchart's own default of `global` alone: one of both.
# Seen: it depends on the parent's values.yaml. If the parent has no value for the key, the null deletes the subchart's default. If the
# parent has one, the null deletes that one and is used up: the subchart gets its own default, which the parent's value had hidden, so a
# key that was to be removed changes its value instead. The same for a key below another one.
# Output seen:
#   parent without a value, as is: {"inner":{"key":"sub"},"key":"sub"}
#   parent without a value, key=null: {"inner":{"key":"sub"}}
#   parent without a value, inner.key=null: {"inner":{},"key":"sub"}
#   parent with a value, as is: {"inner":{"key":"parent"},"key":"parent"}
#   parent with a value, key=null: {"inner":{"key":"parent"},"key":"sub"}
#   parent with a value, inner.key=null: {"inner":{"key":"sub"},"key":"parent"}
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
mkdir -p parent/charts/sub/templates
printf 'apiVersion: v2\nname: parent\nversion: 0.1.0\n' > parent/Chart.yaml
printf 'apiVersion: v2\nname: sub\nversion: 0.1.0\n' > parent/charts/sub/Chart.yaml
printf 'global: { key: sub, inner: { key: sub } }\n' > parent/charts/sub/values.yaml
echo 'global: {{ toJson .Values.global }}' > parent/charts/sub/templates/global.yaml
export GOPATH="$dir/go" GOFLAGS=-mod=mod
go install helm.sh/helm/v3/cmd/helm@v3.22.0 > /dev/null 2>&1
rendered() {
  name=$1
  shift
  printf '%s: %s\n' "$name" "$(HOME=$dir go/bin/helm template name parent "$@" | sed -n 's/^global: //p')"
}
all() {
  rendered "$1, as is"
  rendered "$1, key=null" --set global.key=null
  rendered "$1, inner.key=null" --set global.inner.key=null
}
all 'parent without a value' > out
printf 'global: { key: parent, inner: { key: parent } }\n' > parent/values.yaml
all 'parent with a value' >> out
cat out
cat > want <<'END'
parent without a value, as is: {"inner":{"key":"sub"},"key":"sub"}
parent without a value, key=null: {"inner":{"key":"sub"}}
parent without a value, inner.key=null: {"inner":{},"key":"sub"}
parent with a value, as is: {"inner":{"key":"parent"},"key":"parent"}
parent with a value, key=null: {"inner":{"key":"parent"},"key":"sub"}
parent with a value, inner.key=null: {"inner":{"key":"sub"},"key":"parent"}
END
cmp out want
