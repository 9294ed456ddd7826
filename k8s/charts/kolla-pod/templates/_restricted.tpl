{{/*
What the Pod Security Standard `restricted` admits, by field of a Pod's spec and of a container. "" stands for a field that is not there;
`*` for any key. The fields of a list's items are those of the list.
*/}}
{{- define "kolla-pod.restrictedFields" -}}
hostNetwork: ["", "false"]
hostPID: ["", "false"]
hostIPC: ["", "false"]
volumes.*: ["", configMap, csi, downwardAPI, emptyDir, ephemeral, image, persistentVolumeClaim, projected, secret]
annotations.*: ["", runtime/default, localhost]
ports.hostPort: ["", "0"]
"*.httpGet.host": [""]
"*.tcpSocket.host": [""]
lifecycle.*.httpGet.host: [""]
lifecycle.*.tcpSocket.host: [""]
securityContext.allowPrivilegeEscalation: ["false"]
securityContext.appArmorProfile.type: ["", RuntimeDefault, Localhost]
securityContext.capabilities.add: ["", NET_BIND_SERVICE]
securityContext.capabilities.drop: [ALL]
securityContext.privileged: ["", "false"]
securityContext.procMount: ["", Default]
securityContext.runAsNonRoot: ["true"]
securityContext.runAsUser: ["", any but 0]
securityContext.seLinuxOptions.role: [""]
securityContext.seLinuxOptions.type: ["", container_t, container_init_t, container_kvm_t, container_engine_t]
securityContext.seLinuxOptions.user: [""]
securityContext.seccompProfile.type: [RuntimeDefault, Localhost]
securityContext.sysctls.name: ["", kernel.shm_rmid_forced, net.ipv4.ip_local_port_range, net.ipv4.ip_local_reserved_ports,
  net.ipv4.ip_unprivileged_port_start, net.ipv4.ping_group_range, net.ipv4.tcp_fin_timeout, net.ipv4.tcp_keepalive_intvl,
  net.ipv4.tcp_keepalive_probes, net.ipv4.tcp_keepalive_time, net.ipv4.tcp_rmem, net.ipv4.tcp_syncookies, net.ipv4.tcp_wmem]
securityContext.windowsOptions.hostProcess: ["", "false"]
{{- end -}}

{{/* Fails for a finished Pod that `restricted` does not admit, also for what it lacks. In: list of kolla-pod.podTemplate's input, and its output. */}}
{{- define "kolla-pod.checkRestricted" -}}
{{- $pod := index . 0 -}}
{{- $template := index . 1 | toJson | fromJson -}}
{{- $spec := $template.spec -}}
{{- $faults := list -}}
{{- $kinds := dict -}}
{{- range $spec.volumes -}}{{- include "kolla-pod.withoutNulls" . -}}{{- $_ := set $kinds .name (keys (omit . "name")) -}}{{- end -}}
{{- $profiles := dict -}}
{{- range $key, $profile := $template.metadata.annotations -}}
{{- if hasPrefix "container.apparmor.security.beta.kubernetes.io/" $key -}}
{{- $_ := set $profiles $key (regexReplaceAll "^localhost/.*" $profile "localhost") -}}
{{- end -}}
{{- end -}}
{{- $own := merge (dict "volumes" $kinds "annotations" $profiles) (pick $spec "hostNetwork" "hostPID" "hostIPC" "securityContext") -}}
{{- range $i, $part := concat (list $own) ($spec.initContainers | default list) $spec.containers -}}
{{- $isPod := eq $i 0 -}}
{{- include "kolla-pod.withoutNulls" $part -}}
{{- /* What a container does not say, the Pod says for all. */ -}}
{{- $security := $isPod | ternary dict (pick ($own.securityContext | default dict) "runAsNonRoot" "seccompProfile" | deepCopy) -}}
{{- include "kolla-pod.lay" (list $security ($part.securityContext | default dict)) -}}
{{- if $security.runAsUser -}}{{- $_ := unset $security "runAsUser" -}}{{- end -}}
{{- $capabilities := $security.capabilities | default dict -}}
{{- $dropped := $capabilities.drop | default list -}}
{{- $_ := set $security "capabilities" (set $capabilities "drop" (has "ALL" $dropped | ternary "ALL" (join ", " $dropped))) -}}
{{- $_ := set $part "securityContext" $security -}}
{{- range $field, $admitted := fromYaml (include "kolla-pod.restrictedFields" $pod.ctx) -}}
{{- range fromJsonArray (include "kolla-pod.valuesAt" (list $part (splitList "." $field) list)) -}}
{{- if not (or (has (toString .value) $admitted) (and $isPod (eq (toString .value) ""))) -}}
{{- $what := printf "%s is %s" .at (toString .value | default "missing") -}}
{{- $takes := without $admitted "" | join ", " | default "none" -}}
{{- $faults = append $faults (printf "%s: %s (admitted: %s)" ($isPod | ternary "the Pod" $part.name) $what $takes) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $faults -}}
{{- $of := $pod.isWorkload | ternary (printf "workloads.%s" $pod.workload.key) (printf "the Job %s" $pod.component) -}}
{{- $other := "take another bootstrap.workload or cron.NAME.workload, or other bootstrap.volumes" -}}
{{- $fix := ternary "change that, or say why by restricted: {exempt: reason}" $other $pod.isWorkload -}}
{{- fail (printf "%s: %s is not admitted under `restricted`: %s; %s" $pod.ctx.Chart.Name $of (join "; " $faults) $fix) -}}
{{- end -}}
{{- end -}}

{{/* The values at a path, each with a path of its own. In: list of object, words of the path, and those that led here. Out: JSON list of {at, value}. */}}
{{- define "kolla-pod.valuesAt" -}}
{{- $object := index . 0 -}}
{{- $words := index . 1 -}}
{{- $at := index . 2 -}}
{{- $found := list -}}
{{- if kindIs "slice" $object -}}
{{- range $object -}}{{- $found = concat $found (fromJsonArray (include "kolla-pod.valuesAt" (list . $words $at))) -}}{{- end -}}
{{- else if or (not $words) (not (kindIs "map" $object)) -}}
{{- $found = list (dict "at" (concat $at $words | join ".") "value" (empty $words | ternary $object "")) -}}
{{- else -}}
{{- range $key, $_ := eq (first $words) "*" | ternary $object (dict (first $words) "") -}}
{{- $found = concat $found (fromJsonArray (include "kolla-pod.valuesAt" (list (get $object $key) (rest $words) (append $at $key)))) -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}
