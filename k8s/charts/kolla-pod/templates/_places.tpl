{{/*
config.json -> the mounts of a container with a read-only root, and those of kolla-init: the same as printed by
`kolla-init plan` without --image (a test compares them).

  entries -> requests {path, kind, data} -> the outermost of them -> `places` {path, purpose, volume, subPath}, sorted
  `covers`: the directories of the volume `kolla` that kolla-init mounts below /kolla
  `sources`: mounts of volumes that contain a source of config.json: kolla-init's, and kolla-sidecar's, which follows them
*/}}
{{- define "kolla-pod.readPlaces" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $wishes := fromJsonArray (include "kolla-pod.wishes" $workload) -}}
{{- $mounts := fromJsonArray (include "kolla-pod.outermost" $wishes) -}}
{{- $owned := list -}}
{{- range concat ($workload.config.directories | default list) ($workload.config.permissions | default list) -}}{{- with .path -}}{{- $owned = append $owned (clean .) -}}{{- end -}}{{- end -}}
{{- $places := dict "/var/log/kolla" (dict "purpose" "logs" "volume" "logs") "/tmp" (dict "purpose" "temporary" "volume" "tmp") "/run/kolla" (dict "purpose" "run" "volume" "kolla" "subPath" "run/kolla" "kind" "directory") -}}
{{- range $mounts -}}
{{- if or (hasPrefix "/var/log/kolla/" .path) (hasPrefix "/tmp/" .path) (hasKey $places .path) -}}
{{- else if and (eq .kind "directory") (not (hasPrefix "/etc/" .path)) (or .data (has .path $owned)) -}}
{{- $_ := set $places .path (dict "purpose" "data" "volume" (regexReplaceAll "[^a-z0-9]+" (lower .path) "-" | trimPrefix "-" | trunc 60 | trimSuffix "-")) -}}
{{- else -}}
{{- $_ := set $places .path (dict "purpose" "config" "volume" "kolla" "subPath" (trimPrefix "/" .path) "kind" .kind) -}}
{{- end -}}
{{- end -}}
{{- range $path, $place := $places -}}
{{- range $outer, $holder := $places -}}
{{- if and (eq $place.volume "kolla") (eq $holder.volume "kolla") (eq $holder.kind "directory") (hasPrefix (printf "%s/" $outer) $path) -}}{{- $_ := unset $places $path -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $sources := list -}}
{{- range $name, $volume := $workload.values.volumes -}}
{{- if include "kolla-pod.holdsSource" (list $volume.mountPath $workload.config) -}}
{{- $mount := dict "name" $name "mountPath" (clean $volume.mountPath) "readOnly" true -}}
{{- with $volume.subPath -}}{{- $_ := set $mount "subPath" . -}}{{- end -}}
{{- $sources = append $sources $mount -}}
{{- else -}}
{{- $there := get $places (clean $volume.mountPath) -}}
{{- $isInit := false -}}
{{- range $path, $place := $places -}}{{- if hasPrefix (printf "%s/" $path) $volume.mountPath -}}{{- $isInit = true -}}{{- end -}}{{- end -}}
{{- if $there -}}{{- $isInit = ne $there.purpose "temporary" -}}{{- end -}}
{{- $purpose := ternary "data" "other" $isInit -}}
{{- $place := dict "purpose" $purpose "volume" $name "given" true "readOnly" ($volume.readOnly | default false) -}}
{{- range $key := list "subPath" "mountPropagation" -}}{{- with get $volume $key -}}{{- $_ := set $place $key . -}}{{- end -}}{{- end -}}
{{- $_ := set $places (clean $volume.mountPath) $place -}}
{{- end -}}
{{- end -}}
{{- range $path, $place := $places -}}
{{- if and (not $place.given) (hasKey $workload.values.volumes $place.volume) -}}
{{- fail (printf "%s: workloads.%s.volumes.%s: the library has a volume of that name, at %s; take another name, or that mountPath" $ctx.Chart.Name $workload.key $place.volume $path) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $workload "places" $places -}}
{{- $_ := set $workload "sources" $sources -}}
{{- $_ := set $workload "covers" (fromJsonArray (include "kolla-pod.covers" $places)) -}}
{{- end -}}

{{/* Whether config.json has a source at this path or below it: "yes" or nothing. In: list of path and config.json. */}}
{{- define "kolla-pod.holdsSource" -}}
{{- $path := printf "%s/" (clean (index . 0)) -}}
{{- $holds := false -}}
{{- range (index . 1).config_files -}}
{{- if hasPrefix $path (printf "%s/" (trimSuffix "/" (.source | default ""))) -}}{{- $holds = true -}}{{- end -}}
{{- end -}}
{{- if $holds -}}yes{{- end -}}
{{- end -}}

{{/* The mounts that each entry needs, as a JSON list. In: workload. */}}
{{- define "kolla-pod.wishes" -}}
{{- $wishes := list -}}
{{- $names := list -}}
{{- $hasCa := false -}}
{{- range .files -}}
{{- $names = append $names .path -}}
{{- if hasPrefix "ca-certificates/" .path -}}{{- $hasCa = true -}}{{- end -}}
{{- end -}}
{{- /* Invalid entries are left to kolla-init, which reports all errors while the old Pods stay. */ -}}
{{- range .config.config_files -}}
{{- if and .dest .source -}}
{{- $dest := .dest -}}
{{- $source := clean .source | trimSuffix "/" -}}
{{- $isDirectory := false -}}
{{- range $names -}}{{- if hasPrefix (printf "%s/" $source) (printf "/var/lib/kolla/config_files/%s" .) -}}{{- $isDirectory = true -}}{{- end -}}{{- end -}}
{{- $isInto := hasSuffix "/" $dest -}}
{{- if and $isInto (regexMatch "[*?\\[]" (base $source)) -}}
{{- $wishes = append $wishes (dict "path" (clean $dest) "kind" "directory" "data" false) -}}
{{- else -}}
{{- $path := clean (ternary (printf "%s%s" $dest (base $source)) $dest $isInto) -}}
{{- if $isDirectory -}}
{{- $above := ternary $path (dir $path) (ne (include "kolla-pod.isShared" (dir $path)) "") -}}
{{- $wishes = append $wishes (dict "path" $above "kind" "directory" "data" false) -}}
{{- else -}}
{{- $wishes = append $wishes (fromJson (include "kolla-pod.fileWish" $path)) -}}
{{- end -}}
{{- end -}}
{{- if eq (base $source) "ca-certificates" -}}{{- $hasCa = true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $hasCa -}}
{{- range list "/etc/ssl/certs" "/usr/local/share/ca-certificates" -}}{{- $wishes = append $wishes (dict "path" . "kind" "directory" "data" false) -}}{{- end -}}
{{- end -}}
{{- range .config.files -}}{{- if .path -}}{{- $wishes = append $wishes (fromJson (include "kolla-pod.fileWish" (clean .path))) -}}{{- end -}}{{- end -}}
{{- range concat (.config.directories | default list) (.config.permissions | default list) -}}
{{- if .path -}}
{{- $path := clean (regexReplaceAll "/[^/]*[*?\\[].*$" .path "") -}}
{{- $wishes = append $wishes (dict "path" $path "kind" "directory" "data" true) -}}
{{- end -}}
{{- end -}}
{{- $open := list -}}
{{- range $wishes -}}
{{- $path := regexReplaceAll "^/(bin|sbin|lib|lib64)(/|$)" .path "/usr/${1}${2}" -}}
{{- $path = regexReplaceAll "^/var/run(/|$)" $path "/run${1}" -}}
{{- $path = regexReplaceAll "^/var/lock(/|$)" $path "/run/lock${1}" -}}
{{- if or (eq .kind "file") (not (include "kolla-pod.isShared" $path)) -}}{{- $open = append $open (set . "path" $path) -}}{{- end -}}
{{- end -}}
{{- toJson $open -}}
{{- end -}}

{{/* A file's directory is mounted, unless that is shared with the system. In: path. */}}
{{- define "kolla-pod.fileWish" -}}
{{- if include "kolla-pod.isShared" (dir .) -}}
{{- toJson (dict "path" . "kind" "file" "data" false) -}}
{{- else -}}
{{- toJson (dict "path" (dir .) "kind" "directory" "data" false) -}}
{{- end -}}
{{- end -}}

{{/* Whether several parts of the system share a directory, so that a volume would hide other parts' files. */}}
{{- define "kolla-pod.isShared" -}}
{{- if or (has . (splitList " " "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin /usr/include /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/libx32 /usr/local /usr/local/bin /usr/local/etc /usr/local/lib /usr/local/sbin /usr/local/share /usr/sbin /usr/share /var /var/cache /var/lib /var/lib/kolla /var/lib/kolla/config_files /var/local /var/log /var/opt /var/run /var/spool /var/tmp")) (regexMatch "^/(dev|proc|sys)/" .) -}}yes{{- end -}}
{{- end -}}

{{/* Nested requests become one, the outermost; it is data if it comes from directories and permissions only. */}}
{{- define "kolla-pod.outermost" -}}
{{- $found := dict -}}
{{- $paths := list -}}
{{- range . -}}{{- $paths = append $paths .path -}}{{- end -}}
{{- $wishes := . -}}
{{- range $path := $paths | uniq | sortAlpha -}}
{{- range $kind := list "directory" "file" -}}
{{- range $wish := $wishes -}}
{{- if and (eq $wish.path $path) (eq $wish.kind $kind) -}}
{{- $outer := $path -}}
{{- range $other, $mount := $found -}}
{{- if and (not (hasKey $found $path)) (eq $mount.kind "directory") (hasPrefix (printf "%s/" $other) $path) -}}{{- $outer = $other -}}{{- end -}}
{{- end -}}
{{- $mount := get $found $outer -}}
{{- if $mount -}}
{{- $_ := set $mount "data" (and $mount.data (or $wish.data (ne $outer $path))) -}}
{{- else -}}
{{- $_ := set $found $outer (dict "path" $outer "kind" $kind "data" $wish.data) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- values $found | toJson -}}
{{- end -}}

{{/*
kolla-init mounts the parent directory of each place, so that it creates and owns the place itself; and the
directories between that and another volume inside it, which the container runtime would create as root. In:
places.
*/}}
{{- define "kolla-pod.covers" -}}
{{- $above := list -}}
{{- range $path, $place := . -}}{{- if eq $place.volume "kolla" -}}{{- $above = append $above (dir $path) -}}{{- end -}}{{- end -}}
{{- $above = uniq $above -}}
{{- $covers := list -}}
{{- range $directory := $above -}}
{{- $isIn := false -}}
{{- range $above -}}{{- if and (ne . $directory) (or (eq . "/") (hasPrefix (printf "%s/" .) $directory)) -}}{{- $isIn = true -}}{{- end -}}{{- end -}}
{{- if not $isIn -}}{{- $covers = append $covers $directory -}}{{- end -}}
{{- end -}}
{{- $all := $covers -}}
{{- range $path, $place := . -}}
{{- if and (ne $place.volume "kolla") (ne $place.purpose "other") -}}
{{- $parts := splitList "/" (trimPrefix "/" (dir $path)) -}}
{{- range $i, $part := $parts -}}
{{- $directory := printf "/%s" (join "/" (slice $parts 0 (add1 $i | int))) -}}
{{- range $covers -}}{{- if and (ne . $directory) (or (eq . "/") (hasPrefix (printf "%s/" .) $directory)) -}}{{- $all = append $all $directory -}}{{- end -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $all | uniq | sortAlpha | toJson -}}
{{- end -}}
