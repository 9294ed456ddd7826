{{/*
What `helm test` runs: a Pod in which kolla-init waits for each workload's rollout, as their readiness checks report it, and for
each port of their Services: the path that readiness requests, or a TCP connection. With its own account, since only hooks
may read the workloads. In: context.
*/}}
{{- define "kolla-pod.tests" -}}
{{- $ctx := . -}}
{{- if .workloads -}}
{{- $waits := list -}}
{{- range $workload := .workloads -}}
{{- if eq $workload.values.kind "DaemonSet" -}}
{{- /* The wait daemonset/ is for the Pod on its own node; here one must be Ready, and none anything else. */ -}}
{{- $pods := printf "pod?label=app.kubernetes.io/instance=%s&label=app.kubernetes.io/component=%s" $ctx.Release.Name $workload.key -}}
{{- $waits = append $waits $pods -}}
{{- $waits = append $waits (printf "!%s&condition=Ready=False" $pods) -}}
{{- else -}}
{{- $waits = append $waits (printf "%s/%s" (lower $workload.values.kind) $workload.name) -}}
{{- end -}}
{{- if or (eq $workload.values.kind "DaemonSet") (gt (int $workload.values.replicas) 0) -}}
{{- $waits = concat $waits (fromJsonArray (include "kolla-pod.serviceWaits" $workload)) -}}
{{- end -}}
{{- end -}}
{{- $first := first .workloads -}}
{{- $delivery := .Values.kollaPod.delivery -}}
{{- $name := printf "%s-test" .name -}}
{{- $part := dict "ctx" . "workload" $first "isWorkload" false -}}
{{- $mounts := append (fromJsonArray (include "kolla-pod.tlsMounts" (list . $first false))) (fromJson (include "kolla-pod.tokenMount" .)) -}}
{{- $volumes := append (fromJsonArray (include "kolla-pod.tlsVolumes" $part)) (fromJson (include "kolla-pod.tokenVolume" .)) -}}
{{- if eq $delivery "imageVolume" -}}
{{- $mounts = append $mounts (fromJson (include "kolla-pod.deliveryMount" .)) -}}
{{- $volumes = append $volumes (dict "name" "kolla-pod" "image" (dict "reference" (include "kolla-pod.ownImage" .) "pullPolicy" .Values.kollaPod.image.pullPolicy)) -}}
{{- end -}}
{{- /* Our own image runs the helpers without a copy. */ -}}
{{- $command := list (ternary "kolla-init" (include "kolla-pod.program" (list . "kolla-init")) (eq $delivery "copied")) -}}
{{- range uniq $waits -}}{{- $command = concat $command (list "--wait" .) -}}{{- end -}}
{{- $command = concat $command (list "--timeout" "2m") -}}
{{- if include "kolla-pod.tls" . -}}{{- $command = concat $command (list "--ca-file" (include "kolla-pod.tlsCa" .)) -}}{{- end -}}
{{- $image := ternary (include "kolla-pod.ownImage" .) (include "kolla-pod.image" (list . $first.values.image)) (eq $delivery "copied") -}}
{{- $container := dict "name" "kolla-init" "image" $image "imagePullPolicy" (include "kolla-pod.pullPolicy" (list . $first.values.image)) "command" $command "env" (fromJsonArray (include "kolla-pod.helperEnv" (list . dict))) "securityContext" (fromJson (include "kolla-pod.restrictedContainer" .)) "volumeMounts" $mounts -}}
{{- with .Values.kollaPod.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- $uid := int $first.user.uid | max 1 -}}
{{- $security := dict "runAsNonRoot" true "runAsUser" $uid "runAsGroup" $uid "fsGroup" (int .Values.fsGroup) "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- $spec := dict "serviceAccountName" $name "automountServiceAccountToken" false "restartPolicy" "Never" "securityContext" $security "containers" (list $container) "volumes" $volumes -}}
{{- with .Values.global.pullSecrets -}}{{- $secrets := list -}}{{- range . -}}{{- $secrets = append $secrets (dict "name" .) -}}{{- end -}}{{- $_ := set $spec "imagePullSecrets" $secrets -}}{{- end -}}
{{- $metadata := dict "name" $name "namespace" .Release.Namespace "labels" (fromYaml (include "kolla-pod.labels" (list . "test"))) -}}
{{- $pod := dict "apiVersion" "v1" "kind" "Pod" "metadata" $metadata "spec" $spec -}}
{{- $roles := fromJson (include "kolla-pod.roles" (list $waits .Release.Namespace)) -}}
{{- $objects := list -}}
{{- range splitList "\n---\n" (include "kolla-pod.access" (list . $name "test" $roles)) -}}{{- with fromYaml . -}}{{- $objects = append $objects . -}}{{- end -}}{{- end -}}
{{- range $i, $object := append $objects $pod -}}
{{- /* The Pod stays until the next test, for its log. */ -}}
{{- $policy := ternary "before-hook-creation" "before-hook-creation,hook-succeeded" (eq $object.kind "Pod") -}}
{{- $_ := set $object.metadata "annotations" (dict "helm.sh/hook" "test" "helm.sh/hook-weight" (toString $i) "helm.sh/hook-delete-policy" $policy) }}
---
{{ toYaml $object }}
{{- end -}}
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
{{ end -}}
