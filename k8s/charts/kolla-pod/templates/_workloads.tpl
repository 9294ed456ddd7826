{{/* Completes each workload of the values with the library's defaults and its name, which config.files use too. In: context. */}}
{{- define "kolla-pod.completeWorkloads" -}}
{{- $ctx := . -}}
{{- range $key, $given := .Values.workloads -}}
{{- $values := deepCopy $ctx.Values.workloadDefaults -}}
{{- include "kolla-pod.lay" (list $values (deepCopy ($given | default dict))) -}}
{{- include "kolla-pod.restoreEmpty" (list $ctx $ctx.defaults.workloadDefaults $values (printf "workloads.%s." $key)) -}}
{{- /* Merged over what the library renders: a null removes a key of that. */ -}}
{{- range $key := list "securityContext" "podSecurityContext" "container" "podSpec" "spec" -}}
{{- if not (get $ctx.Values.workloadDefaults $key) -}}{{- with get ($given | default dict) $key -}}{{- $_ := set $values $key . -}}{{- end -}}{{- end -}}
{{- end -}}
{{- if not $values.name -}}{{- $_ := set $values "name" (printf "%s-%s" $ctx.name $key) -}}{{- end -}}
{{- $_ := set $ctx.Values.workloads $key $values -}}
{{- end -}}
{{- end -}}

{{/*
workloads -> `workloads` of the context: a list of {key, name, values, config (config.json as data), files
(those that it reads), places and covers (its mounts), podYaml (a file)}.
*/}}
{{- define "kolla-pod.readWorkloads" -}}
{{- $ctx := . -}}
{{- $workloads := list -}}
{{- range $key, $values := .Values.workloads -}}
{{- if $values.enabled -}}
{{- $user := deepCopy $ctx.Values.user -}}
{{- include "kolla-pod.lay" (list $user $values.user) -}}
{{- $workload := dict "key" $key "name" $values.name "values" $values "user" $user -}}
{{- include "kolla-pod.checkWorkload" (list $ctx $workload) -}}
{{- range $kind := list "readiness" "liveness" "startup" -}}{{- $_ := set $values.probes $kind (include "kolla-pod.openText" (list $ctx (get $values.probes $kind) (printf "workloads.%s.probes.%s" $key $kind))) -}}{{- end -}}
{{- include "kolla-pod.readConfigJson" (list $ctx $workload) -}}
{{- include "kolla-pod.readPlaces" (list $ctx $workload) -}}
{{- include "kolla-pod.readPodYaml" (list $ctx $workload) -}}
{{- $workloads = append $workloads $workload -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "workloads" $workloads -}}
{{- end -}}

{{/* Checks that the schema cannot express. In: list of context and workload. */}}
{{- define "kolla-pod.checkWorkload" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $values := $workload.values -}}
{{- $at := printf "%s: workloads.%s" $ctx.Chart.Name $workload.key -}}
{{- if and (not $values.command) (not $values.configJson) -}}
{{- fail (printf "%s: configJson or command is required; the chart's own workloads: %s" $at (keys (($ctx.Files.Get "defaults.yaml" | fromYaml).workloads | default dict) | sortAlpha | join ", ")) -}}
{{- end -}}
{{- range $file := $values.files -}}
{{- if not (hasKey $ctx.Values.config.files $file) -}}
{{- /* A chart's file that the values remove by null is known, too. */ -}}
{{- $known := merge (dict) $ctx.Values.config.files ((($ctx.Files.Get "defaults.yaml" | fromYaml).config | default dict).files | default dict) -}}
{{- if not (hasKey $known $file) -}}
{{- fail (printf "%s.files: config.files has no %s: add it there, or take one of %s" $at $file (keys $known | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not (hasKey $workload.user "uid") -}}
{{- fail (printf "%s: say user: {name, uid}; kolla-pod catalogue has the name" $at) -}}
{{- end -}}
{{- /* A label of a StatefulSet's Pods ends in a hash of ten more characters. */ -}}
{{- $isOwn := ne $values.name (printf "%s-%s" $ctx.name $workload.key) -}}
{{- $place := ternary (printf "workloads.%s.name" $workload.key) "name" $isOwn -}}
{{- include "kolla-pod.checkLength" (list $ctx $place $workload.name (ternary 52 63 (eq $values.kind "StatefulSet"))) -}}
{{- if and (include "kolla-pod.tls" $ctx) $values.ports (not (hasKey $values.tls "serves")) -}}
{{- fail (printf "%s.tls.serves: global.tls is enabled: say true if its ports serve TLS, with the certificate in %s, or false if they are to be plain" $at (include "kolla-pod.tlsCertificate" $ctx)) -}}
{{- end -}}
{{- $isExempt := ne $values.restricted.exempt "" -}}
{{- range $host := list "hostNetwork" "hostPID" "hostIPC" -}}
{{- if and (get $values $host).reason (not $isExempt) -}}
{{- fail (printf "%s.%s: say restricted: {exempt: reason} too, since such a Pod is not admitted under `restricted`" $at $host) -}}
{{- end -}}
{{- end -}}
{{- range $name, $port := $values.ports -}}
{{- if not (ternary (get (kindIs "map" $port | ternary $port dict) "port") $port (kindIs "map" $port)) -}}{{- fail (printf "%s.ports.%s: say port" $at $name) -}}{{- end -}}
{{- end -}}
{{- range $name, $volume := $values.volumes -}}
{{- if has $name (list "config-files" "kolla" "kolla-pod" "kube-api-access" "log-ship-state" "pod-yaml" "podinfo" "tls-ca" "tls-server") -}}
{{- fail (printf "%s.volumes.%s: the library has a volume of that name; take another" $at $name) -}}
{{- end -}}
{{- if not (or $volume.persistent $volume.source) -}}
{{- fail (printf "%s.volumes.%s: say persistent or source" $at $name) -}}
{{- end -}}
{{- /* One may be the chart's: with both a Deployment would use `source`, and the API server rejects two sources. */ -}}
{{- $fix := "set the one that you do not want to null" -}}
{{- if and $volume.persistent $volume.source -}}{{- fail (printf "%s.volumes.%s: it has persistent and source: %s" $at $name $fix) -}}{{- end -}}
{{- if gt (len ($volume.source | default dict)) 1 -}}{{- fail (printf "%s.volumes.%s.source: it has %s: %s" $at $name (keys $volume.source | sortAlpha | join " and ") $fix) -}}{{- end -}}
{{- if not $volume.mountPath -}}{{- fail (printf "%s.volumes.%s: say mountPath" $at $name) -}}{{- end -}}
{{- if not (get ($volume.persistent | default (dict "size" "none")) "size") -}}{{- fail (printf "%s.volumes.%s.persistent: say size" $at $name) -}}{{- end -}}
{{- if and (hasKey ($volume.source | default dict) "hostPath") (not $isExempt) -}}
{{- fail (printf "%s.volumes.%s: a hostPath needs restricted: {exempt: reason}, since such a Pod is not admitted under `restricted`" $at $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Sets `config`, and `files` including config.json itself. In: list of context and workload. */}}
{{- define "kolla-pod.readConfigJson" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $values := $workload.values -}}
{{- $at := printf "%s: workloads.%s.configJson" $ctx.Chart.Name $workload.key -}}
{{- $text := "" -}}
{{- $before := $ctx.passwordsRead | default 0 -}}
{{- if not $values.configJson -}}
{{- $text = include "kolla-pod.madeConfigJson" . -}}
{{- else if kindIs "string" $values.configJson -}}
{{- $text = $ctx.Files.Get $values.configJson -}}
{{- if not $text -}}{{- fail (printf "%s: the chart has no %s" $at $values.configJson) -}}{{- end -}}
{{- $text = tpl $text $ctx -}}
{{- else -}}
{{- $text = tpl (toPrettyJson $values.configJson) $ctx -}}
{{- end -}}
{{- $config := fromJson $text -}}
{{- if hasKey $config "Error" -}}{{- fail (printf "%s: no JSON: %s" $at $config.Error) -}}{{- end -}}
{{- include "kolla-pod.noPassword" (list $ctx (printf "workloads.%s" $workload.key) $before "take it out of configJson and command: a file of config.files may be a Secret") -}}
{{- $files := list -}}
{{- range $path, $file := $ctx.files -}}
{{- /* kolla_copy_cacerts finds these by itself. */ -}}
{{- if or (hasPrefix "ca-certificates/" $path) (include "kolla-pod.isRead" (list $path $config)) -}}{{- $files = append $files $file -}}{{- end -}}
{{- end -}}
{{- $own := dict "path" "config.json" "secret" false "binary" false "data" (b64enc $text) -}}
{{- include "kolla-pod.place" (list $ctx $own $workload.name) -}}
{{- $_ := set $workload "config" $config -}}
{{- $_ := set $workload "files" (append $files $own) -}}
{{- end -}}

{{/* Generates config.json from `command` and the files with a `dest`. */}}
{{- define "kolla-pod.madeConfigJson" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $values := $workload.values -}}
{{- $user := $workload.user.name | default "" -}}
{{- if not $user -}}{{- fail (printf "%s: workloads.%s: user.name is required with command; kolla-pod catalogue has it" $ctx.Chart.Name $workload.key) -}}{{- end -}}
{{- $entries := list -}}
{{- range $path, $file := $ctx.files -}}
{{- if and $file.dest (or (not $values.files) (has $path $values.files)) -}}
{{- $entries = append $entries (dict "source" (printf "/var/lib/kolla/config_files/%s" $path) "dest" $file.dest "owner" ($file.owner | default $user) "perm" $file.perm) -}}
{{- end -}}
{{- end -}}
{{- $log := dict "path" (printf "/var/log/kolla/%s" ($ctx.Values.config.logDirectory | default $ctx.Values.service)) "owner" (printf "%s:%s" $user $user) "perm" "0755" -}}
{{- toPrettyJson (dict "command" (tpl $values.command $ctx) "directories" (list $log) "config_files" $entries) -}}
{{- end -}}

{{/* Whether config.json reads a file: "yes" or nothing. In: list of path and config.json. */}}
{{- define "kolla-pod.isRead" -}}
{{- $path := printf "/var/lib/kolla/config_files/%s" (index . 0) -}}
{{- $isRead := false -}}
{{- range (index . 1).config_files -}}
{{- $source := .source | default "/" | clean | trimSuffix "/" -}}
{{- $pattern := regexReplaceAll "[.+(){}|^$\\\\]" $source "\\${0}" | replace "*" "[^/]*" | replace "?" "[^/]" | replace "[!" "[^" -}}
{{- if regexMatch (printf "^%s(/.*)?$" $pattern) $path -}}{{- $isRead = true -}}{{- end -}}
{{- end -}}
{{- if $isRead -}}yes{{- end -}}
{{- end -}}
