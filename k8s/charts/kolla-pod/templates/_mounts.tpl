{{/* Volumes and mounts for the results of kolla-pod.readPlaces. All return JSON lists. */}}

{{/* kolla-init's: below /kolla, outer ones first. In: workload. */}}
{{- define "kolla-pod.initMounts" -}}
{{- $mounts := dict -}}
{{- range .covers -}}
{{- $mount := dict "name" "kolla" "mountPath" (ternary "/kolla" (printf "/kolla%s" .) (eq . "/")) -}}
{{- if ne . "/" -}}{{- $_ := set $mount "subPath" (trimPrefix "/" .) -}}{{- end -}}
{{- $_ := set $mounts . $mount -}}
{{- end -}}
{{- range $path, $place := .places -}}
{{- if and (ne $place.volume "kolla") (has $place.purpose (list "logs" "data")) (not $place.readOnly) -}}
{{- $mount := dict "name" $place.volume "mountPath" (printf "/kolla%s" $path) -}}
{{- with $place.subPath -}}{{- $_ := set $mount "subPath" . -}}{{- end -}}
{{- $_ := set $mounts $path $mount -}}
{{- end -}}
{{- end -}}
{{- $list := list -}}
{{- range $path := keys $mounts | sortAlpha -}}{{- $list = append $list (get $mounts $path) -}}{{- end -}}
{{- toJson $list -}}
{{- end -}}

{{/* The service's. In: workload. */}}
{{- define "kolla-pod.serviceMounts" -}}
{{- $list := list -}}
{{- $places := .places -}}
{{- range $path := keys .places | sortAlpha -}}
{{- $place := get $places $path -}}
{{- $mount := dict "name" $place.volume "mountPath" $path -}}
{{- with $place.subPath -}}{{- $_ := set $mount "subPath" . -}}{{- end -}}
{{- if or $place.readOnly (eq $place.purpose "run") -}}{{- $_ := set $mount "readOnly" true -}}{{- end -}}
{{- with $place.mountPropagation -}}{{- $_ := set $mount "mountPropagation" . -}}{{- end -}}
{{- $list = append $list $mount -}}
{{- end -}}
{{- toJson $list -}}
{{- end -}}

{{/* In: as kolla-pod.podTemplate. */}}
{{- define "kolla-pod.volumes" -}}
{{- $ctx := .ctx -}}
{{- $workload := .workload -}}
{{- $sources := list -}}
{{- range $workload.files -}}{{- $sources = append $sources (fromJson (include "kolla-pod.source" (list $ctx .))) -}}{{- end -}}
{{- $sources = concat $sources (fromJsonArray (include "kolla-pod.passwordSources" (list $ctx $workload))) -}}
{{- $volumes := list (dict "name" "config-files" "projected" (dict "sources" $sources)) -}}
{{- $volumes = append $volumes (dict "name" "kolla" "emptyDir" (dict "medium" "Memory" "sizeLimit" $ctx.Values.config.sizeLimit)) -}}
{{- $names := list "kolla" -}}
{{- range $path, $place := $workload.places -}}
{{- if and (not $place.given) (not (has $place.volume $names)) -}}
{{- $names = append $names $place.volume -}}
{{- $volumes = append $volumes (dict "name" $place.volume "emptyDir" dict) -}}
{{- end -}}
{{- end -}}
{{- $isSet := eq $workload.values.kind "StatefulSet" -}}
{{- range $name, $volume := $workload.values.volumes -}}
{{- if $volume.source -}}
{{- $volumes = append $volumes (set (deepCopy $volume.source) "name" $name) -}}
{{- else if not $isSet -}}
{{- $volumes = append $volumes (dict "name" $name "persistentVolumeClaim" (dict "claimName" (printf "%s-%s" $workload.name $name))) -}}
{{- end -}}
{{- end -}}
{{- if $workload.podYaml -}}
{{- $volumes = append $volumes (dict "name" "pod-yaml" "configMap" (dict "name" (get $ctx.refs $workload.podYaml.base).name)) -}}
{{- end -}}
{{- if and .isWorkload (include "kolla-pod.sidecarComponents" (list $ctx $workload)) -}}
{{- $volumes = append $volumes (dict "name" "podinfo" "downwardAPI" (dict "items" (list (dict "path" "labels" "fieldRef" (dict "fieldPath" "metadata.labels"))))) -}}
{{- if include "kolla-pod.logState" (list $ctx $workload) -}}{{- $volumes = append $volumes (dict "name" "log-ship-state" "emptyDir" dict) -}}{{- end -}}
{{- end -}}
{{- $volumes = concat $volumes (fromJsonArray (include "kolla-pod.tlsVolumes" .)) -}}
{{- if .token -}}{{- $volumes = append $volumes (fromJson (include "kolla-pod.tokenVolume" $ctx)) -}}{{- end -}}
{{- if eq $ctx.Values.kollaPod.delivery "copied" -}}
{{- $volumes = append $volumes (dict "name" "kolla-pod" "emptyDir" (dict "sizeLimit" $ctx.Values.kollaPod.sizeLimit)) -}}
{{- else if eq $ctx.Values.kollaPod.delivery "imageVolume" -}}
{{- $volumes = append $volumes (dict "name" "kolla-pod" "image" (dict "reference" (include "kolla-pod.ownImage" $ctx) "pullPolicy" $ctx.Values.kollaPod.image.pullPolicy)) -}}
{{- end -}}
{{- toJson $volumes -}}
{{- end -}}

{{/* Mounts of the binary for containers whose image lacks it. */}}
{{- define "kolla-pod.deliveryMount" -}}
{{- $mount := dict "name" "kolla-pod" "mountPath" "/opt/kolla-pod" "readOnly" true -}}
{{- if eq .Values.kollaPod.delivery "imageVolume" -}}{{- $_ := set $mount "subPath" .Values.kollaPod.image.subPath -}}{{- end -}}
{{- toJson $mount -}}
{{- end -}}

{{/* The API server's token, for containers that use it: the service itself has none. */}}
{{- define "kolla-pod.tokenVolume" -}}
{{- $namespace := dict "path" "namespace" "fieldRef" (dict "fieldPath" "metadata.namespace") -}}
{{- $authority := dict "name" "kube-root-ca.crt" "items" (list (dict "key" "ca.crt" "path" "ca.crt")) -}}
{{- $sources := list (dict "serviceAccountToken" (dict "path" "token" "expirationSeconds" 3607)) (dict "configMap" $authority) (dict "downwardAPI" (dict "items" (list $namespace))) -}}
{{- toJson (dict "name" "kube-api-access" "projected" (dict "sources" $sources)) -}}
{{- end -}}

{{- define "kolla-pod.tokenMount" -}}
{{- toJson (dict "name" "kube-api-access" "mountPath" "/var/run/secrets/kubernetes.io/serviceaccount" "readOnly" true) -}}
{{- end -}}
