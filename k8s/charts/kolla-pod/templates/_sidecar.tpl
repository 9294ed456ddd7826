{{/*
One native sidecar for everything that runs alongside the service: probes, a configuration that follows its
ConfigMaps, log shipping. It reads kolla-pod.yaml, as does kolla-init (overlays). The file is read on start
only, so the name of its ConfigMap has the hash with `reload: live` too.
*/}}

{{/* Components, separated by spaces. In: list of context and workload. */}}
{{- define "kolla-pod.sidecarComponents" -}}
{{- $ctx := index . 0 -}}
{{- $probes := (index . 1).values.probes -}}
{{- $components := list -}}
{{- if and (eq $probes.mode "resident") (or $probes.readiness $probes.liveness $probes.startup) -}}{{- $components = append $components "probe" -}}{{- end -}}
{{- if or (eq $ctx.Values.config.reload "live") (index . 1).sources -}}{{- $components = append $components "config-watch" -}}{{- end -}}
{{- if $ctx.Values.logs.enabled -}}{{- $components = append $components "log-ship" -}}{{- end -}}
{{- join " " $components -}}
{{- end -}}

{{/* Sets `podYaml` of a workload that needs one. In: list of context and workload. */}}
{{- define "kolla-pod.readPodYaml" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $values := $workload.values -}}
{{- $components := include "kolla-pod.sidecarComponents" . -}}
{{- $yaml := dict -}}
{{- $overlays := fromYaml (include "kolla-pod.openText" (list $ctx (toYaml $values.overlays) (printf "workloads.%s.overlays" $workload.key))) -}}
{{- with fromJsonArray (include "kolla-pod.passwordOverlays" .) -}}{{- $_ := set $overlays "passwords" (concat ($overlays.passwords | default list) .) -}}{{- end -}}
{{- if $overlays -}}{{- $_ := set $yaml "overlays" $overlays -}}{{- end -}}
{{- if $components -}}
{{- $sidecar := dict "component" (splitList " " $components) "listen" (printf ":%v" $values.sidecar.port) -}}
{{- if $values.hostNetwork.reason -}}{{- $_ := set $sidecar "host-network" true -}}{{- end -}}
{{- $_ := set $yaml "sidecar" $sidecar -}}
{{- if contains "probe" $components -}}
{{- $checks := dict -}}
{{- $pace := dict "period" (printf "%ds" (int $values.probes.periodSeconds)) "timeout" (printf "%ds" (int (min $values.probes.timeoutSeconds $values.probes.periodSeconds))) -}}
{{- with $values.probes.readiness -}}{{- $_ := set $checks "ready" (merge (dict "run" . "for" (list "readiness")) $pace) -}}{{- end -}}
{{- with $values.probes.liveness -}}{{- $_ := set $checks "alive" (merge (dict "run" . "for" (ternary (list "liveness") (list "liveness" "startup") (ne $values.probes.startup ""))) $pace) -}}{{- end -}}
{{- with $values.probes.startup -}}{{- $_ := set $checks "started" (merge (dict "run" . "for" (list "startup")) $pace) -}}{{- end -}}
{{- $_ := set $yaml "checks" $checks -}}
{{- end -}}
{{- if contains "config-watch" $components -}}
{{- $watch := dict "root" "/kolla" -}}
{{- $actions := concat (ternary $values.onChange list (eq $ctx.Values.config.reload "live")) $values.onVolumeChange | uniq -}}
{{- with $actions -}}{{- $_ := set $watch "on-change" . -}}{{- end -}}
{{- if include "kolla-pod.usesTls" (list $ctx $workload "client") -}}{{- $_ := set $watch "ca-file" (include "kolla-pod.tlsCa" $ctx) -}}{{- end -}}
{{- $_ := set $yaml "init" (dict "watch" $watch) -}}
{{- end -}}
{{- if contains "log-ship" $components -}}
{{- $logs := $ctx.Values.logs -}}
{{- $ship := dict "labels-file" "/etc/podinfo/labels" "container" $workload.name "grace" "20s" -}}
{{- with $logs.url -}}{{- $_ := set $ship "url" (include "kolla-pod.openText" (list $ctx . "logs.url")) -}}{{- end -}}
{{- with $logs.user -}}{{- $_ := set $ship "user" . -}}{{- end -}}
{{- if include "kolla-pod.logState" . -}}
{{- $_ := set $ship "state" "/var/lib/kolla-log-ship" -}}
{{- /* For the check log-ship, which reads the checkpoint. */ -}}
{{- $_ := set $yaml "probe" (dict "log-ship" (dict "state" "/var/lib/kolla-log-ship")) -}}
{{- end -}}
{{- include "kolla-pod.lay" (list $ship ($logs.options | default dict)) -}}
{{- if or (hasKey $ship "password") (hasKey $ship "api-key") (regexMatch "://[^/@\"]*:[^/@\"]*@" (toJson $ship)) -}}
{{- fail (printf "%s: logs: a password stands in url or options, and they would be a ConfigMap; say user, and password: its name under global.passwords" $ctx.Chart.Name) -}}
{{- end -}}
{{- $_ := set $yaml "log-ship" $ship -}}
{{- end -}}
{{- end -}}
{{- if $yaml -}}
{{- $base := printf "%s-kolla-pod" $workload.name -}}
{{- $_ := set $ctx.refs $base (dict "secret" false "versioned" true "bytes" 0 "binary" dict "data" (dict "kolla-pod.yaml" (toYaml $yaml | b64enc))) -}}
{{- $_ := set $workload "podYaml" (dict "base" $base) -}}
{{- end -}}
{{- end -}}

{{/*
Whether log-ship's state has a separate volume, to which no service can write: if the logs live as long as the
Pod. Logs in a user's volume may live longer, and the state stays next to them. "yes" or nothing. In: list of
context and workload.
*/}}
{{- define "kolla-pod.logState" -}}
{{- $logs := (index . 0).Values.logs -}}
{{- $place := get (index . 1).places "/var/log/kolla" | default dict -}}
{{- if and $logs.enabled (not $place.given) (not (hasKey ($logs.options | default dict) "state")) -}}yes{{- end -}}
{{- end -}}

{{/* The container, or nothing. In: list of context and workload. */}}
{{- define "kolla-pod.sidecarContainer" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $values := $workload.values -}}
{{- $components := include "kolla-pod.sidecarComponents" . -}}
{{- if $components -}}
{{- $seen := dict -}}
{{- range fromJsonArray (include "kolla-pod.serviceMounts" $workload) -}}
{{- /* config-watch writes its record to /run/kolla. */ -}}
{{- /* An unprivileged container can only receive mounts, not propagate them to others. */ -}}
{{- $_ := set $seen .mountPath (ternary (omit . "readOnly") (omit . "mountPropagation") (eq .mountPath "/run/kolla")) -}}
{{- end -}}
{{- range fromJsonArray (include "kolla-pod.tlsMounts" (list $ctx $workload false)) -}}{{- $_ := set $seen .mountPath . -}}{{- end -}}
{{- $_ := set $seen "/etc/kolla-pod" (dict "name" "pod-yaml" "mountPath" "/etc/kolla-pod" "readOnly" true) -}}
{{- $_ := set $seen "/etc/podinfo" (dict "name" "podinfo" "mountPath" "/etc/podinfo" "readOnly" true) -}}
{{- if include "kolla-pod.logState" . -}}{{- $_ := set $seen "/var/lib/kolla-log-ship" (dict "name" "log-ship-state" "mountPath" "/var/lib/kolla-log-ship") -}}{{- end -}}
{{- if contains "config-watch" $components -}}
{{- $_ := set $seen "/var/lib/kolla/config_files" (dict "name" "config-files" "mountPath" "/var/lib/kolla/config_files" "readOnly" true) -}}
{{- range concat (fromJsonArray (include "kolla-pod.initMounts" $workload)) $workload.sources -}}{{- $_ := set $seen .mountPath . -}}{{- end -}}
{{- end -}}
{{- if ne $ctx.Values.kollaPod.delivery "baked" -}}{{- $_ := set $seen "/opt/kolla-pod" (fromJson (include "kolla-pod.deliveryMount" $ctx)) -}}{{- end -}}
{{- $mounts := list -}}
{{- range $path := keys $seen | sortAlpha -}}{{- $mounts = append $mounts (get $seen $path) -}}{{- end -}}
{{- $env := fromJsonArray (include "kolla-pod.helperEnv" (list $ctx $values.env)) -}}
{{- /* The Pod's UID as the source: if the state is lost, the same ids are shipped again, which the index deduplicates. */ -}}
{{- if and (include "kolla-pod.logState" .) (not (hasKey ($ctx.Values.logs.options | default dict) "source-id")) -}}
{{- $env = append $env (dict "name" "KOLLA_LOG_SHIP_SOURCE_ID" "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.uid"))) -}}
{{- end -}}
{{- if and (contains "log-ship" $components) $ctx.Values.logs.password -}}
{{- $env = append $env (dict "name" "KOLLA_LOG_SHIP_PASSWORD" "valueFrom" (dict "secretKeyRef" (fromJson (include "kolla-pod.passwordKey" (list $ctx $ctx.Values.logs.password))))) -}}
{{- end -}}
{{- $container := dict "name" "kolla-sidecar" "image" (include "kolla-pod.image" (list $ctx $values.image)) "imagePullPolicy" (include "kolla-pod.pullPolicy" (list $ctx $values.image)) -}}
{{- $_ := set $container "restartPolicy" "Always" -}}
{{- $_ := set $container "command" (list (include "kolla-pod.program" (list $ctx "kolla-sidecar"))) -}}
{{- $_ := set $container "env" $env -}}
{{- $_ := set $container "ports" (list (dict "name" "health" "containerPort" (int $values.sidecar.port))) -}}
{{- $_ := set $container "startupProbe" (dict "httpGet" (dict "path" "/startupz/components" "port" "health") "periodSeconds" 1 "failureThreshold" 120) -}}
{{- /* Not /livez, which covers the service too: that is the service's own probe. */ -}}
{{- $_ := set $container "livenessProbe" (dict "httpGet" (dict "path" "/startupz/components" "port" "health") "periodSeconds" 10 "timeoutSeconds" 5) -}}
{{- $_ := set $container "securityContext" (fromJson (include "kolla-pod.restrictedContainer" $ctx)) -}}
{{- with $values.sidecar.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- $_ := set $container "volumeMounts" $mounts -}}
{{- toJson $container -}}
{{- end -}}
{{- end -}}

{{/* Whether a check reads processes of another container, or a signal goes to one. In: list of context and workload. */}}
{{- define "kolla-pod.sharesProcesses" -}}
{{- $values := (index . 1).values -}}
{{- $components := include "kolla-pod.sidecarComponents" . -}}
{{- if hasKey $values "shareProcessNamespace" -}}
{{- if $values.shareProcessNamespace -}}yes{{- end -}}
{{- else if and (contains "probe" $components) (regexMatch "(^|;)(process|connected) |--process" (printf "%s;%s;%s" $values.probes.readiness $values.probes.liveness $values.probes.startup)) -}}yes
{{- else if and (eq (index . 0).Values.config.reload "live") (contains "signal:" (join " " $values.onChange)) -}}yes
{{- else if contains "signal:" (join " " $values.onVolumeChange) -}}yes
{{- end -}}
{{- end -}}

{{/* The probes of the service's container: {startupProbe, readinessProbe, livenessProbe}. In: list of context and workload. */}}
{{- define "kolla-pod.probes" -}}
{{- $ctx := index . 0 -}}
{{- $values := (index . 1).values -}}
{{- $all := dict -}}
{{- $period := int $values.probes.periodSeconds -}}
{{- $words := dict "startup" ($values.probes.startup | default $values.probes.liveness) "readiness" $values.probes.readiness "liveness" $values.probes.liveness -}}
{{- $paths := dict "startup" "/startupz" "readiness" "/readyz" "liveness" "/livez" -}}
{{- range $kind, $run := $words -}}
{{- if $run -}}
{{- $probe := dict "periodSeconds" $period "timeoutSeconds" (int $values.probes.timeoutSeconds) -}}
{{- if eq $values.probes.mode "exec" -}}
{{- $_ := set $probe "exec" (dict "command" (concat (list (include "kolla-pod.program" (list $ctx "kolla-probe"))) (splitList " " $run))) -}}
{{- else -}}
{{- $_ := set $probe "httpGet" (dict "path" (get $paths $kind) "port" (int $values.sidecar.port)) -}}
{{- end -}}
{{- if eq $kind "startup" -}}{{- $_ := set $probe "failureThreshold" (max 1 (div (int $values.probes.startupSeconds) $period)) -}}{{- end -}}
{{- $_ := set $all (printf "%sProbe" $kind) $probe -}}
{{- end -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}
