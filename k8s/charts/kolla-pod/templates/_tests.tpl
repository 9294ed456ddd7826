{{/*
What `helm test` runs: a Pod in which kolla-init waits for each port of the workloads' Services: by the path that readiness
requests, or by a TCP connection. It passes DNS, NetworkPolicy and TLS as a client does, and needs no account: Helm takes every
object that is a test hook for a Pod whose log it may print. In: context.
*/}}
{{- define "kolla-pod.tests" -}}
{{- $waits := list -}}
{{- $first := dict -}}
{{- $labels := fromYaml (include "kolla-pod.labels" (list . "test")) -}}
{{- range $workload := .workloads -}}
{{- range $workload.values.ports -}}{{- if kindIs "map" . -}}{{- with .clients -}}{{- $_ := set $labels (include "kolla-pod.clientLabel" .) "true" -}}{{- end -}}{{- end -}}{{- end -}}
{{- if or (eq $workload.values.kind "DaemonSet") (gt (int $workload.values.replicas) 0) -}}
{{- $waits = concat $waits (fromJsonArray (include "kolla-pod.serviceWaits" $workload)) -}}
{{- if and $waits (not $first) -}}{{- $first = $workload -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $waits -}}
{{- $delivery := .Values.kollaPod.delivery -}}
{{- $mounts := fromJsonArray (include "kolla-pod.tlsMounts" (list . $first false)) -}}
{{- $volumes := fromJsonArray (include "kolla-pod.tlsVolumes" (dict "ctx" . "workload" $first "isWorkload" false)) -}}
{{- if eq $delivery "imageVolume" -}}
{{- $mounts = append $mounts (fromJson (include "kolla-pod.deliveryMount" .)) -}}
{{- $volumes = append $volumes (dict "name" "kolla-pod" "image" (dict "reference" (include "kolla-pod.ownImage" .) "pullPolicy" .Values.kollaPod.image.pullPolicy)) -}}
{{- end -}}
{{- /* Our own image runs the helpers without a copy. */ -}}
{{- $isOwn := eq $delivery "copied" -}}
{{- $command := list (ternary "kolla-init" (include "kolla-pod.program" (list . "kolla-init")) $isOwn) -}}
{{- range uniq $waits -}}{{- $command = concat $command (list "--wait" .) -}}{{- end -}}
{{- $command = concat $command (list "--timeout" "2m") -}}
{{- if include "kolla-pod.tls" . -}}{{- $command = concat $command (list "--ca-file" (include "kolla-pod.tlsCa" .)) -}}{{- end -}}
{{- $image := ternary (include "kolla-pod.ownImage" .) (include "kolla-pod.image" (list . $first.values.image)) $isOwn -}}
{{- $policy := ternary .Values.kollaPod.image.pullPolicy (include "kolla-pod.pullPolicy" (list . $first.values.image)) $isOwn -}}
{{- $container := dict "name" "kolla-init" "image" $image "imagePullPolicy" $policy "command" $command "securityContext" (fromJson (include "kolla-pod.restrictedContainer" .)) "volumeMounts" $mounts -}}
{{- with .Values.kollaPod.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- $uid := int $first.user.uid | max 1 -}}
{{- $security := dict "runAsNonRoot" true "runAsUser" $uid "runAsGroup" $uid "fsGroup" (int .Values.fsGroup) "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- $spec := dict "automountServiceAccountToken" false "restartPolicy" "Never" "securityContext" $security "containers" (list $container) "volumes" $volumes -}}
{{- $secrets := list -}}
{{- range .Values.global.pullSecrets -}}{{- $secrets = append $secrets (dict "name" .) -}}{{- end -}}
{{- if $secrets -}}{{- $_ := set $spec "imagePullSecrets" $secrets -}}{{- end -}}
{{- include "kolla-pod.scheduling" (list . $first $spec "test" false) -}}
{{- /* It stays until the next test, for its log. */ -}}
{{- $annotations := dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation" -}}
{{- $metadata := dict "name" (printf "%s-test" .name) "namespace" .Release.Namespace "labels" $labels "annotations" $annotations }}
---
{{ toYaml (dict "apiVersion" "v1" "kind" "Pod" "metadata" $metadata "spec" $spec) }}
{{- end -}}
{{- end -}}

{{/* The waits for the ports of a workload's Services, as another Pod of the namespace connects to them. In: workload. Out: JSON list. */}}
{{- define "kolla-pod.serviceWaits" -}}
{{- $values := .values -}}
{{- $waits := list -}}
{{- range $name, $service := fromJson (include "kolla-pod.services" .) -}}
{{- if not $service.headless -}}
{{- range $key := $service.ports | default (keys $values.ports | sortAlpha) -}}
{{- $port := get $values.ports $key -}}
{{- $port = kindIs "map" $port | ternary $port (dict "port" $port) -}}
{{- $asked := regexFind (printf "^http https?://127\\.0\\.0\\.1:%d/\\S*" (int $port.port)) $values.probes.readiness -}}
{{- if $asked -}}
{{- $waits = append $waits (trimPrefix "http " $asked | replace "127.0.0.1" $name) -}}
{{- else if and (not $port.peersOnly) (eq ($port.protocol | default "TCP") "TCP") -}}
{{- $waits = append $waits (printf "tcp://%s:%d" $name (int $port.port)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $waits -}}
{{- end -}}

{{/* The text of NOTES.txt. In: the chart's root. */}}
{{- define "kolla-pod.notes" -}}
{{- $ctx := dict "Chart" .Chart "Release" .Release "Files" .Files "Capabilities" .Capabilities "Template" .Template -}}
{{- include "kolla-pod.layValues" (list $ctx .Values) -}}
{{- $needs := fromJsonArray (include "kolla-pod.needs" (list $ctx list)) -}}
{{- $where := printf "--namespace %s" .Release.Namespace -}}
{{- .Chart.Name }} {{ .Chart.Version }} is release {{ .Release.Name }} in {{ .Release.Namespace }}.
{{- with $needs }} Its Pods wait for:
{{ range . }}
  {{ . }}
{{- end }}
{{ end }}
Watch its Pods, then test that the service answers:

  kubectl {{ $where }} get pods --selector app.kubernetes.io/instance={{ .Release.Name }} --watch
  helm test {{ .Release.Name }} {{ $where }} --logs

A Pod that stays in Init names what it waits for:

  kubectl {{ $where }} logs --selector app.kubernetes.io/instance={{ .Release.Name }} --container kolla-init --tail 5
{{- with .Files.Get "next.txt" }}

{{ tpl . $ctx | trim }}
{{- end }}
{{ end -}}
