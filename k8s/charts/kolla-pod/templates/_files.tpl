{{/*
config.files -> `files` of the context, by path: {path, key, secret, data (base64), existing, placeholders (of passwords,
with their names), clientOf (servers that its reader connects to)}; and the objects that hold them.

`rolling`: an object's name ends in the hash of its content, and it is immutable, so a Pod never sees a partial change;
`live`: names stay, and the kubelet brings changes into the Pods.
*/}}
{{- define "kolla-pod.readFiles" -}}
{{- $ctx := . -}}
{{- $files := dict -}}
{{- range $path, $file := .Values.config.files -}}
{{- $isEnabled := ne (tpl (get ($file | default dict) "enabled" | toString) $ctx) "false" -}}
{{- if and $file $isEnabled -}}
{{- if not (regexMatch "^[-._a-zA-Z0-9]+(/[-._a-zA-Z0-9]+)*$" $path) -}}
{{- fail (printf "%s: config.files: '%s' is no name for a ConfigMap's key; take letters, digits, -, . and _, and / for directories" $ctx.Chart.Name $path) -}}
{{- end -}}
{{- $record := dict "path" $path "secret" ($file.secret | default false) -}}
{{- if hasKey $file "existing" -}}
{{- if not (or $file.existing.secret $file.existing.configMap) -}}{{- fail (printf "%s: config.files.%s.existing: say secret or configMap" $ctx.Chart.Name $path) -}}{{- end -}}
{{- $_ := set $record "existing" $file.existing -}}
{{- else -}}
{{- $before := $ctx.passwordsRead | default 0 -}}
{{- $_ := set $ctx "placeholders" dict -}}
{{- $_ := set $ctx "clientOf" list -}}
{{- $_ := set $record "data" (include "kolla-pod.fileData" (list $ctx $path $file)) -}}
{{- $_ := set $record "placeholders" $ctx.placeholders -}}
{{- $_ := unset $ctx "placeholders" -}}
{{- $_ := set $record "clientOf" (uniq $ctx.clientOf) -}}
{{- range $placeholder, $name := $record.placeholders -}}
{{- if not (contains $placeholder (b64dec $record.data)) -}}
{{- fail (printf "%s: config.files.%s: its template changes the password %s, which comes from a Secret (global.passwordSecrets); give kolla-pod.password a form instead: url, oslo, rabbitmq, sql or quoted" $ctx.Chart.Name $path $name) -}}
{{- end -}}
{{- end -}}
{{- if not $record.secret -}}
{{- include "kolla-pod.noPassword" (list $ctx (printf "config.files.%s" $path) $before "say secret: true") -}}
{{- end -}}
{{- $_ := set $record "binary" ($file.binary | default false) -}}
{{- include "kolla-pod.place" (list $ctx $record $ctx.name) -}}
{{- end -}}
{{- $_ := set $record "dest" ($file.dest | default "") -}}
{{- $_ := set $record "perm" ($file.perm | default "0600") -}}
{{- $_ := set $record "owner" ($file.owner | default "") -}}
{{- $_ := set $files $path $record -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "files" $files -}}
{{- end -}}

{{/* A file's content in base64. In: list of context, path and the file's values. */}}
{{- define "kolla-pod.fileData" -}}
{{- $ctx := index . 0 -}}
{{- $path := index . 1 -}}
{{- $file := index . 2 -}}
{{- $text := "" -}}
{{- if hasKey $file "content" -}}
{{- $text = $file.content -}}
{{- else if hasKey $file "file" -}}
{{- $text = $ctx.Files.Get $file.file -}}
{{- if not $text -}}
{{- fail (printf "%s: config.files.%s: the chart has no %s, or it is empty" $ctx.Chart.Name $path $file.file) -}}
{{- end -}}
{{- else -}}
{{- fail (printf "%s: config.files.%s: say content, file or existing" $ctx.Chart.Name $path) -}}
{{- end -}}
{{- if or $file.raw $file.binary -}}{{- $text | b64enc -}}{{- else -}}{{- tpl $text $ctx | b64enc -}}{{- end -}}
{{- end -}}

{{/*
Adds a file to an object of `objects`, and records its object and key in the file. The name is complete only
when all files of the object are known: kolla-pod.bundleObjects. In: list of context, file and the name's
prefix.
*/}}
{{- define "kolla-pod.place" -}}
{{- $ctx := index . 0 -}}
{{- $file := index . 1 -}}
{{- $of := index . 2 -}}
{{- $isBundle := eq $ctx.Values.config.bundle "service" -}}
{{- $base := printf "%s-%s" $of (include "kolla-pod.slug" $file.path) -}}
{{- if $isBundle -}}{{- $base = printf "%s-%s" $ctx.name (ternary "secrets" "config" $file.secret) -}}{{- end -}}
{{- $key := ternary (printf "%s.%s" $of $file.path) $file.path $isBundle | replace "/" "__" -}}
{{- $bytes := len (b64dec $file.data) -}}
{{- $bundle := get $ctx.refs $base | default (dict "secret" $file.secret "data" dict "binary" dict "bytes" 0) -}}
{{- $bytes = add $bytes $bundle.bytes -}}
{{- if gt (int $bytes) 1048576 -}}
{{- fail (printf "%s: config.files.%s: %s would hold %d bytes, and Kubernetes takes 1048576 in one object; leave it out of the chart (a volume), or use config.bundle: file" $ctx.Chart.Name $file.path $base (int $bytes)) -}}
{{- end -}}
{{- if or (hasKey $bundle.data $key) (hasKey $bundle.binary $key) (and (hasKey $ctx.refs $base) (not $isBundle)) -}}
{{- fail (printf "%s: config.files.%s: another file has the same name for Kubernetes, %s" $ctx.Chart.Name $file.path $base) -}}
{{- end -}}
{{- $_ := set $bundle "bytes" $bytes -}}
{{- $_ := set (ternary $bundle.binary $bundle.data (and $file.binary (not $file.secret))) $key $file.data -}}
{{- $_ := set $ctx.refs $base $bundle -}}
{{- $_ := set $file "base" $base -}}
{{- $_ := set $file "key" $key -}}
{{- end -}}

{{/* Completes names, and creates the objects. In: context. */}}
{{- define "kolla-pod.bundleObjects" -}}
{{- $ctx := . -}}
{{- $isLive := eq .Values.config.reload "live" -}}
{{- range $base, $bundle := .refs -}}
{{- $isFixed := and $isLive (not $bundle.versioned) -}}
{{- $name := ternary $base (include "kolla-pod.hashedName" (list $base $bundle)) $isFixed -}}
{{- $_ := set $bundle "name" $name -}}
{{- $metadata := dict "name" $name "namespace" $ctx.Release.Namespace "labels" (fromYaml (include "kolla-pod.labels" (list $ctx "config"))) -}}
{{- $object := dict "apiVersion" "v1" "metadata" $metadata -}}
{{- if $bundle.secret -}}
{{- $_ := set $object "kind" "Secret" -}}
{{- $_ := set $object "type" "Opaque" -}}
{{- $_ := set $object "data" $bundle.data -}}
{{- else -}}
{{- $_ := set $object "kind" "ConfigMap" -}}
{{- $texts := dict -}}
{{- range $key, $data := $bundle.data -}}{{- $_ := set $texts $key (b64dec $data) -}}{{- end -}}
{{- if $texts -}}{{- $_ := set $object "data" $texts -}}{{- end -}}
{{- if $bundle.binary -}}{{- $_ := set $object "binaryData" $bundle.binary -}}{{- end -}}
{{- end -}}
{{- if not $isFixed -}}
{{- $_ := set $object "immutable" true -}}
{{- $_ := merge $metadata (fromJson (include "kolla-pod.kept" $ctx)) -}}
{{- end -}}
{{- $_ := set $ctx.objects (printf "%s %s" $object.kind $name) $object -}}
{{- end -}}
{{- end -}}

{{- define "kolla-pod.hashedName" -}}
{{- printf "%s-%s" (index . 0) (include "kolla-pod.hash" (toJson (pick (index . 1) "data" "binary"))) -}}
{{- end -}}

{{/* One source of the projected volume. In: list of context and file. */}}
{{- define "kolla-pod.source" -}}
{{- $ctx := index . 0 -}}
{{- $file := index . 1 -}}
{{- if $file.existing -}}
{{- /* A chart's own is a Secret, with which Helm merges the user's. */ -}}
{{- $kind := empty $file.existing.configMap | ternary "secret" "configMap" -}}
{{- $item := dict "key" ($file.existing.key | default $file.path) "path" $file.path -}}
{{- toJson (dict $kind (dict "name" (get $file.existing $kind) "items" (list $item))) -}}
{{- else -}}
{{- $item := dict "key" $file.key "path" $file.path -}}
{{- toJson (dict (ternary "secret" "configMap" $file.secret) (dict "name" (get $ctx.refs $file.base).name "items" (list $item))) -}}
{{- end -}}
{{- end -}}

{{/* Path of a mounted password of a Secret, next to config.json; a `*` of config.json does not match it. In: name. */}}
{{- define "kolla-pod.passwordPath" -}}
{{- printf ".passwords/%s" . -}}
{{- end -}}

{{/*
Passwords of Secrets used by a workload's files, as sources of the projected volume. In: list of context and
workload. Out: JSON.
*/}}
{{- define "kolla-pod.passwordSources" -}}
{{- $ctx := index . 0 -}}
{{- $names := list -}}
{{- range (index . 1).files -}}{{- $names = concat $names (values (.placeholders | default dict)) -}}{{- end -}}
{{- $sources := list -}}
{{- range $names | uniq | sortAlpha -}}
{{- $given := include "kolla-pod.passwordSecret" (list $ctx .) | fromJson -}}
{{- $item := dict "key" $given.key "path" (include "kolla-pod.passwordPath" .) -}}
{{- $sources = append $sources (dict "secret" (dict "name" $given.secret "items" (list $item))) -}}
{{- end -}}
{{- toJson $sources -}}
{{- end -}}

{{/* The same as `overlays.passwords` of kolla-pod.yaml. In: list of context and workload. Out: JSON. */}}
{{- define "kolla-pod.passwordOverlays" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $items := list -}}
{{- range $file := $workload.files -}}
{{- $names := values ($file.placeholders | default dict) | uniq | sortAlpha -}}
{{- $source := printf "/var/lib/kolla/config_files/%s" $file.path -}}
{{- $isNamed := false -}}
{{- range $workload.config.config_files -}}
{{- if and .dest (eq (.source | default "") $source) -}}
{{- $isNamed = true -}}
{{- $dest := ternary (printf "%s%s" .dest (base $source)) .dest (hasSuffix "/" .dest) -}}
{{- range $name := $names -}}
{{- $given := include "kolla-pod.passwordSecret" (list $ctx $name) | fromJson -}}
{{- $item := dict "file" $dest "name" $name "source" (printf "/var/lib/kolla/config_files/%s" (include "kolla-pod.passwordPath" $name)) -}}
{{- $items = append $items (merge $item (pick $given "secret" "key")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $names (not $isNamed) -}}
{{- fail (printf "%s: config.files.%s: the password %s comes from a Secret (global.passwordSecrets), so config.json of workloads.%s must name the file as a source of its own" $ctx.Chart.Name $file.path (join ", " $names) $workload.key) -}}
{{- end -}}
{{- end -}}
{{- toJson $items -}}
{{- end -}}
