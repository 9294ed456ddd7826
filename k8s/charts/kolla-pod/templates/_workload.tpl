{{/* A workload and all its objects. In: list of context and workload. */}}
{{- define "kolla-pod.workload" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $values := $workload.values -}}
{{- $waits := concat (fromJsonArray (include "kolla-pod.jobWaits" .)) (fromJsonArray (include "kolla-pod.needs" (list $ctx $values.needs))) -}}
{{- $rules := fromJson (include "kolla-pod.roles" (list $waits $ctx.Release.Namespace)) -}}
{{- $container := fromJson (include "kolla-pod.serviceContainer" .) -}}
{{- $pod := dict "ctx" $ctx "workload" $workload "component" $workload.key "account" $workload.name "waits" $waits "containers" (concat (list $container) $values.extraContainers) "isWorkload" true "token" (gt (len $rules) 0) "grace" $values.terminationGracePeriodSeconds -}}
{{- $template := fromJson (include "kolla-pod.podTemplate" $pod) -}}
{{- $spec := dict "selector" (dict "matchLabels" (fromYaml (include "kolla-pod.selector" (list $ctx $workload.key)))) "template" $template -}}
{{- if ne $values.kind "DaemonSet" -}}{{- $_ := set $spec "replicas" (int $values.replicas) -}}{{- end -}}
{{- if eq $values.kind "Deployment" -}}
{{- $_ := set $spec "strategy" ($values.strategy | default (fromJson (include "kolla-pod.strategy" $values))) -}}
{{- else -}}
{{- with $values.strategy -}}{{- $_ := set $spec "updateStrategy" . -}}{{- end -}}
{{- end -}}
{{- if eq $values.kind "StatefulSet" -}}
{{- $_ := set $spec "serviceName" (include "kolla-pod.governingService" .) -}}
{{- with $values.podManagementPolicy -}}{{- $_ := set $spec "podManagementPolicy" . -}}{{- end -}}
{{- end -}}
{{- $labels := fromYaml (include "kolla-pod.labels" (list $ctx $workload.key)) -}}
{{- $claims := list -}}
{{- range $name, $volume := $values.volumes -}}
{{- if $volume.persistent -}}
{{- $claim := dict "accessModes" ($volume.persistent.accessModes | default (list "ReadWriteOnce")) "resources" (dict "requests" (dict "storage" $volume.persistent.size)) -}}
{{- with $volume.persistent.storageClass | default $ctx.Values.global.storageClass -}}{{- $_ := set $claim "storageClassName" . -}}{{- end -}}
{{- if eq $values.kind "StatefulSet" -}}
{{- $claims = append $claims (dict "metadata" (dict "name" $name) "spec" $claim) -}}
{{- else -}}
{{- $metadata := dict "name" (printf "%s-%s" $workload.name $name) "namespace" $ctx.Release.Namespace "labels" $labels "annotations" (dict "helm.sh/resource-policy" "keep") -}}
{{- $_ := set $ctx.objects (printf "PersistentVolumeClaim %s" $metadata.name) (dict "apiVersion" "v1" "kind" "PersistentVolumeClaim" "metadata" $metadata "spec" $claim) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $claims -}}{{- $_ := set $spec "volumeClaimTemplates" $claims -}}{{- end -}}
{{- include "kolla-pod.lay" (list $spec $values.spec) -}}
{{- if not $values.restricted.exempt -}}{{- include "kolla-pod.checkRestricted" (list $pod $spec.template) -}}{{- end -}}
{{- $metadata := dict "name" $workload.name "namespace" $ctx.Release.Namespace "labels" $labels -}}
---
{{ toYaml (dict "apiVersion" "apps/v1" "kind" $values.kind "metadata" $metadata "spec" $spec) }}
{{- include "kolla-pod.access" (list $ctx $workload.name $workload.key $rules) }}
{{- include "kolla-pod.network" . }}
{{- end -}}

{{/* A Deployment's strategy: a new Pod on another node can't mount a volume that only one node may have. In: its values. */}}
{{- define "kolla-pod.strategy" -}}
{{- $strategy := dict "type" "RollingUpdate" "rollingUpdate" (dict "maxUnavailable" 0 "maxSurge" 1) -}}
{{- range $volume := .volumes -}}
{{- with $volume.persistent -}}{{- if not (has "ReadWriteMany" (.accessModes | default list)) -}}{{- $strategy = dict "type" "Recreate" -}}{{- end -}}{{- end -}}
{{- end -}}
{{- toJson $strategy -}}
{{- end -}}

{{/* Waits of values, with their templates rendered. In: list of context and a workload's own. Out: JSON. */}}
{{- define "kolla-pod.needs" -}}
{{- $ctx := index . 0 -}}
{{- $waits := list -}}
{{- range concat $ctx.Values.needs (index . 1) -}}
{{- with include "kolla-pod.openText" (list $ctx . "needs") | trim -}}{{- $waits = append $waits . -}}{{- end -}}
{{- end -}}
{{- toJson (uniq $waits) -}}
{{- end -}}

{{/* In: list of context and workload. */}}
{{- define "kolla-pod.serviceContainer" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $values := $workload.values -}}
{{- $mounts := concat (fromJsonArray (include "kolla-pod.serviceMounts" $workload)) (fromJsonArray (include "kolla-pod.tlsMounts" (list $ctx $workload true))) -}}
{{- $start := "kolla_start" -}}
{{- if ne $ctx.Values.kollaPod.delivery "baked" -}}
{{- $mounts = append $mounts (fromJson (include "kolla-pod.deliveryMount" $ctx)) -}}
{{- $start = include "kolla-pod.program" (list $ctx "kolla_start") -}}
{{- end -}}
{{- $security := fromJson (include "kolla-pod.restrictedContainer" $ctx) -}}
{{- include "kolla-pod.lay" (list $security $values.securityContext) -}}
{{- $container := dict "name" $workload.name "image" (include "kolla-pod.image" (list $ctx $values.image)) "imagePullPolicy" (include "kolla-pod.pullPolicy" (list $ctx $values.image)) "args" (list $start) "securityContext" $security "volumeMounts" $mounts -}}
{{- with fromJsonArray (include "kolla-pod.env" (list $ctx $values.env)) -}}{{- $_ := set $container "env" . -}}{{- end -}}
{{- with $values.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- $ports := list -}}
{{- range $name, $port := $values.ports -}}
{{- $given := kindIs "map" $port | ternary $port (dict "port" $port) -}}
{{- $one := dict "name" $name "containerPort" (int $given.port) "protocol" ($given.protocol | default "TCP") -}}
{{- with $given.hostPort -}}{{- $_ := set $one "hostPort" (int .) -}}{{- end -}}
{{- $ports = append $ports $one -}}
{{- end -}}
{{- if $ports -}}{{- $_ := set $container "ports" $ports -}}{{- end -}}
{{- if gt (int $values.preStopSeconds) 0 -}}{{- $_ := set $container "lifecycle" (dict "preStop" (dict "sleep" (dict "seconds" (int $values.preStopSeconds)))) -}}{{- end -}}
{{- $container = merge $container (fromJson (include "kolla-pod.probes" .)) -}}
{{- include "kolla-pod.lay" (list $container $values.container) -}}
{{- toJson $container -}}
{{- end -}}
