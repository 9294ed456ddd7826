{{/*
A Pod's metadata and spec, without the additions of its owner (workload, Job). In: a dict of
ctx, workload, component, account (ServiceAccount), waits (list), containers (list: the main ones, with their mounts),
isWorkload (or a Job's), token (whether a wait uses the API server), restartPolicy, grace (seconds), clientOf (servers that the Pod
connects to, besides those of its files)
Out: JSON.
*/}}
{{- define "kolla-pod.podTemplate" -}}
{{- $ctx := .ctx -}}
{{- $workload := .workload -}}
{{- $values := $workload.values -}}
{{- /* Ours take precedence over those of values, since selectors and waits use them. */ -}}
{{- $labels := ternary (deepCopy $values.labels) dict .isWorkload -}}
{{- include "kolla-pod.lay" (list $labels (fromYaml (include "kolla-pod.selector" (list $ctx .component)))) -}}
{{- $_ := set $labels "app.kubernetes.io/version" (include "kolla-pod.versionLabel" $ctx) -}}
{{- $_ := set $labels "kolla-pod/role" $values.role -}}
{{- range .clientOf -}}{{- $_ := set $labels (include "kolla-pod.clientLabel" .) "true" -}}{{- end -}}
{{- range $workload.files -}}{{- range .clientOf -}}{{- $_ := set $labels (include "kolla-pod.clientLabel" .) "true" -}}{{- end -}}{{- end -}}
{{- $annotations := ternary (deepCopy $values.annotations) dict .isWorkload -}}
{{- $_ := set $annotations "kolla-pod/release" ($ctx.Values.release | toString) -}}
{{- if and .isWorkload $values.restricted.exempt -}}{{- $_ := set $annotations "kolla-pod/not-restricted" $values.restricted.exempt -}}{{- end -}}
{{- $security := dict "runAsNonRoot" true "runAsUser" (int $workload.user.uid) "runAsGroup" (int ($workload.user.gid | default $workload.user.uid)) "fsGroup" (int $ctx.Values.fsGroup) "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- with $workload.user.supplementalGroups -}}{{- $_ := set $security "supplementalGroups" . -}}{{- end -}}
{{- $init := list -}}
{{- if eq $ctx.Values.kollaPod.delivery "copied" -}}{{- $init = append $init (fromJson (include "kolla-pod.installContainer" .)) -}}{{- end -}}
{{- if and .isWorkload $values.startCheck -}}{{- $init = append $init (fromJson (include "kolla-pod.checkContainer" .)) -}}{{- end -}}
{{- $init = append $init (fromJson (include "kolla-pod.initContainer" .)) -}}
{{- $spec := dict "serviceAccountName" .account "automountServiceAccountToken" false "terminationGracePeriodSeconds" (int .grace) "securityContext" $security -}}
{{- if .isWorkload -}}
{{- include "kolla-pod.lay" (list $security $values.podSecurityContext) -}}
{{- $own := dict "image" (include "kolla-pod.image" (list $ctx $values.image)) "imagePullPolicy" (include "kolla-pod.pullPolicy" (list $ctx $values.image)) -}}
{{- with $ctx.Values.kollaPod.resources -}}{{- $_ := set $own "resources" . -}}{{- end -}}
{{- range fromYamlArray (include "kolla-pod.openText" (list $ctx (toYaml $values.extraInitContainers) (printf "workloads.%s.extraInitContainers" $workload.key))) -}}
{{- $init = append $init (ternary . (merge . (deepCopy $own)) (hasKey . "image")) -}}
{{- end -}}
{{- with include "kolla-pod.sidecarContainer" (list $ctx $workload) -}}{{- $init = append $init (fromJson .) -}}{{- end -}}
{{- range $host := list "hostNetwork" "hostPID" "hostIPC" -}}
{{- if (get $values $host).reason -}}{{- $_ := set $spec $host true -}}{{- end -}}
{{- end -}}
{{- if $values.hostNetwork.reason -}}{{- $_ := set $spec "dnsPolicy" "ClusterFirstWithHostNet" -}}{{- end -}}
{{- if include "kolla-pod.sharesProcesses" (list $ctx $workload) -}}{{- $_ := set $spec "shareProcessNamespace" true -}}{{- end -}}
{{- end -}}
{{- $_ := set $spec "initContainers" $init -}}
{{- $_ := set $spec "containers" .containers -}}
{{- $_ := set $spec "volumes" (fromJsonArray (include "kolla-pod.volumes" .)) -}}
{{- with .restartPolicy -}}{{- $_ := set $spec "restartPolicy" . -}}{{- end -}}
{{- $secrets := list -}}
{{- range $ctx.Values.global.pullSecrets -}}{{- $secrets = append $secrets (dict "name" .) -}}{{- end -}}
{{- if $secrets -}}{{- $_ := set $spec "imagePullSecrets" $secrets -}}{{- end -}}
{{- include "kolla-pod.scheduling" (list $ctx $workload $spec .component .isWorkload) -}}
{{- if .isWorkload -}}{{- include "kolla-pod.lay" (list $spec $values.podSpec) -}}{{- end -}}
{{- $template := dict "metadata" (dict "labels" $labels "annotations" $annotations) "spec" $spec -}}
{{- /* A workload's is not finished yet: kolla-pod.workload. */ -}}
{{- if not .isWorkload -}}{{- include "kolla-pod.checkRestricted" (list . $template) -}}{{- end -}}
{{- toJson $template -}}
{{- end -}}

{{/*
Adds scheduling constraints to a Pod's spec. Those that refer to other Pods are for the workload's own: where its replicas keep away
from each other, a Job would find no node. In: list of context, workload, spec, component and whether the Pod is the workload's.
*/}}
{{- define "kolla-pod.scheduling" -}}
{{- $ctx := index . 0 -}}
{{- $values := (index . 1).values -}}
{{- $spec := index . 2 -}}
{{- $selector := deepCopy (get $ctx.Values.global.labels $values.role | default dict) -}}
{{- include "kolla-pod.lay" (list $selector ($values.nodeSelector | default dict)) -}}
{{- if $selector -}}{{- $_ := set $spec "nodeSelector" $selector -}}{{- end -}}
{{- $tolerations := concat (get $ctx.Values.global.tolerations $values.role | default list) ($values.tolerations | default list) -}}
{{- if $tolerations -}}{{- $_ := set $spec "tolerations" $tolerations -}}{{- end -}}
{{- range $key := list "affinity" "priorityClassName" "dnsPolicy" -}}
{{- with get $values $key -}}{{- $_ := set $spec $key . -}}{{- end -}}
{{- end -}}
{{- if not (index . 4) -}}
{{- with $spec.affinity -}}{{- $_ := set $spec "affinity" (pick . "nodeAffinity") -}}{{- end -}}
{{- else if kindIs "slice" $values.topologySpread -}}
{{- $_ := set $spec "topologySpreadConstraints" $values.topologySpread -}}
{{- else if and $values.topologySpread (ne $values.kind "DaemonSet") -}}
{{- $spread := list -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" -}}
{{- $selected := dict "matchLabels" (fromYaml (include "kolla-pod.selector" (list $ctx (index $ 3)))) -}}
{{- $spread = append $spread (dict "maxSkew" 1 "topologyKey" $key "whenUnsatisfiable" "ScheduleAnyway" "labelSelector" $selected) -}}
{{- end -}}
{{- $_ := set $spec "topologySpreadConstraints" $spread -}}
{{- end -}}
{{- end -}}

{{- define "kolla-pod.restrictedContainer" -}}
{{- toJson (dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL"))) -}}
{{- end -}}

{{/* For images without the binaries. In: as kolla-pod.podTemplate. */}}
{{- define "kolla-pod.installContainer" -}}
{{- $kollaPod := .ctx.Values.kollaPod -}}
{{- $mounts := list (dict "name" "kolla-pod" "mountPath" "/opt/kolla-pod") -}}
{{- $args := concat (list "install") (ternary (list "--core") list (ne (include "kolla-pod.isCoreOnly" .) "")) (list "/opt/kolla-pod") -}}
{{- $container := dict "name" "kolla-pod" "image" (include "kolla-pod.ownImage" .ctx) "imagePullPolicy" $kollaPod.image.pullPolicy "args" $args "securityContext" (fromJson (include "kolla-pod.restrictedContainer" .ctx)) "volumeMounts" $mounts -}}
{{- with $kollaPod.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- toJson $container -}}
{{- end -}}

{{/*
"yes" if a workload's Pod runs only what kolla-core has: 4 MiB are copied instead of 119. Left to kolla-pod: what names one of its
commands or kolla-sidecar's component db-sync, or mounts its volume. In: as kolla-pod.podTemplate.
*/}}
{{- define "kolla-pod.isCoreOnly" -}}
{{- $values := .workload.values -}}
{{- if .isWorkload -}}
{{- $others := regexFind "\\bkolla-(pod|db-sync|bootstrap|operator)\\b|[\"=,]db-sync[\",]" (toJson (pick $values "extraContainers" "extraInitContainers" "container" "startCheck" "onChange" "onVolumeChange" "probes")) -}}
{{- if not $others -}}yes{{- end -}}
{{- end -}}
{{- end -}}

{{/*
startCheck: before any file is written, in the workload's image, on its volumes. If it fails, the Pod does not start. In: as
kolla-pod.podTemplate.
*/}}
{{- define "kolla-pod.checkContainer" -}}
{{- $ctx := .ctx -}}
{{- $workload := .workload -}}
{{- $values := $workload.values -}}
{{- $mounts := list -}}
{{- range $name, $volume := $values.volumes -}}{{- $mounts = append $mounts (dict "name" $name "mountPath" $volume.mountPath "readOnly" true) -}}{{- end -}}
{{- if ne $ctx.Values.kollaPod.delivery "baked" -}}{{- $mounts = append $mounts (fromJson (include "kolla-pod.deliveryMount" $ctx)) -}}{{- end -}}
{{- $command := fromJsonArray (include "kolla-pod.commandWords" (list $ctx $values.startCheck (printf "workloads.%s.startCheck" $workload.key))) -}}
{{- $container := dict "name" "start-check" "image" (include "kolla-pod.image" (list $ctx $values.image)) "imagePullPolicy" (include "kolla-pod.pullPolicy" (list $ctx $values.image)) "command" $command "env" (fromJsonArray (include "kolla-pod.helperEnv" (list $ctx $values.env))) "securityContext" (fromJson (include "kolla-pod.restrictedContainer" $ctx)) "volumeMounts" $mounts -}}
{{- with $ctx.Values.kollaPod.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- toJson $container -}}
{{- end -}}

{{- define "kolla-pod.initContainer" -}}
{{- $ctx := .ctx -}}
{{- $workload := .workload -}}
{{- $command := list (include "kolla-pod.program" (list $ctx "kolla-init")) "--root" "/kolla" -}}
{{- range .waits -}}{{- $command = concat $command (list "--wait" .) -}}{{- end -}}
{{- if .waits -}}{{- $command = concat $command (list "--timeout" $ctx.Values.needsTimeout) -}}{{- end -}}
{{- $tls := fromJsonArray (include "kolla-pod.tlsMounts" (list $ctx $workload false)) -}}
{{- if and .waits $tls -}}{{- $command = concat $command (list "--ca-file" (include "kolla-pod.tlsCa" $ctx)) -}}{{- end -}}
{{- $mounts := list (dict "name" "config-files" "mountPath" "/var/lib/kolla/config_files" "readOnly" true) -}}
{{- $mounts = concat $mounts $workload.sources (fromJsonArray (include "kolla-pod.initMounts" $workload)) -}}
{{- $mounts = concat $mounts $tls -}}
{{- if $workload.podYaml -}}{{- $mounts = append $mounts (dict "name" "pod-yaml" "mountPath" "/etc/kolla-pod" "readOnly" true) -}}{{- end -}}
{{- if .token -}}{{- $mounts = append $mounts (fromJson (include "kolla-pod.tokenMount" $ctx)) -}}{{- end -}}
{{- if ne $ctx.Values.kollaPod.delivery "baked" -}}{{- $mounts = append $mounts (fromJson (include "kolla-pod.deliveryMount" $ctx)) -}}{{- end -}}
{{- $env := fromJsonArray (include "kolla-pod.helperEnv" (list $ctx $workload.values.env)) -}}
{{- $container := dict "name" "kolla-init" "image" (include "kolla-pod.image" (list $ctx $workload.values.image)) "imagePullPolicy" (include "kolla-pod.pullPolicy" (list $ctx $workload.values.image)) "command" $command "env" $env "securityContext" (fromJson (include "kolla-pod.restrictedContainer" $ctx)) "volumeMounts" $mounts -}}
{{- with $ctx.Values.kollaPod.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- toJson $container -}}
{{- end -}}

{{/*
The Pod's identity, for helpers, and values for overlays; then the variables of values, each name once. In: as
kolla-pod.env.
*/}}
{{- define "kolla-pod.helperEnv" -}}
{{- $fields := dict "POD_NAME" "metadata.name" "POD_NAMESPACE" "metadata.namespace" "POD_UID" "metadata.uid" "NODE_NAME" "spec.nodeName" "POD_IP" "status.podIP" "HOST_IP" "status.hostIP" -}}
{{- $given := index . 1 -}}
{{- $env := list -}}
{{- range $name, $field := $fields -}}
{{- if not (hasKey $given $name) -}}{{- $env = append $env (dict "name" $name "valueFrom" (dict "fieldRef" (dict "fieldPath" $field))) -}}{{- end -}}
{{- end -}}
{{- concat $env (fromJsonArray (include "kolla-pod.env" .)) | toJson -}}
{{- end -}}

{{/* Variables of values in Kubernetes' form. In: list of context and map. Passwords come from Secrets. */}}
{{- define "kolla-pod.env" -}}
{{- $ctx := index . 0 -}}
{{- $env := list -}}
{{- if and (ne $ctx.Values.kollaPod.delivery "baked") (not (hasKey (index . 1) "PATH")) -}}
{{- /* Kolla's scripts find our sudo and healthchecks by it; it cannot extend the image's own PATH. */ -}}
{{- $directories := list "/opt/kolla-pod/rootless-bin" "/opt/kolla-pod/bin" $ctx.Values.kollaPod.searchPath -}}
{{- $env = append $env (dict "name" "PATH" "value" (join ":" $directories)) -}}
{{- end -}}
{{- range $name, $value := index . 1 -}}
{{- if kindIs "string" $value -}}
{{- $env = append $env (dict "name" $name "value" (include "kolla-pod.openText" (list $ctx $value (printf "env.%s" $name)))) -}}
{{- else if not (kindIs "map" $value) -}}
{{- fail (printf "%s: env.%s: YAML has made a %s of it, such as 8 of 010 and true of yes; write it in quotes" $ctx.Chart.Name $name (kindIs "bool" $value | ternary "boolean" "number")) -}}
{{- else if $value.field -}}
{{- $env = append $env (dict "name" $name "valueFrom" (dict "fieldRef" (dict "fieldPath" $value.field))) -}}
{{- else if and $value.secret $value.key -}}
{{- $env = append $env (dict "name" $name "valueFrom" (dict "secretKeyRef" (dict "name" $value.secret "key" $value.key))) -}}
{{- else if not $value.password -}}
{{- fail (printf "%s: env.%s: say text, {password}, {secret, key} or {field}" $ctx.Chart.Name $name) -}}
{{- else -}}
{{- $env = append $env (dict "name" $name "valueFrom" (dict "secretKeyRef" (fromJson (include "kolla-pod.passwordKey" (list $ctx $value.password))))) -}}
{{- end -}}
{{- end -}}
{{- toJson $env -}}
{{- end -}}

{{/* The Secret of a password: an existing one, or one of ours. In: list of context and name. Out: {name, key}. */}}
{{- define "kolla-pod.passwordKey" -}}
{{- $ctx := index . 0 -}}
{{- $name := index . 1 -}}
{{- $given := include "kolla-pod.passwordSecret" . | fromJson -}}
{{- if $given -}}
{{- toJson (dict "name" $given.secret "key" $given.key) -}}
{{- else -}}
{{- $base := printf "%s-%s" $ctx.name (include "kolla-pod.slug" $name) -}}
{{- $bundle := dict "data" (dict "password" (include "kolla-pod.password" . | b64enc)) -}}
{{- $object := printf "%s-%s" $base (include "kolla-pod.hash" (toJson $bundle)) -}}
{{- /* Not by `default`, which would replace an empty one that a copy of the context shares. */ -}}
{{- if not (hasKey $ctx "passwords") -}}{{- $_ := set $ctx "passwords" dict -}}{{- end -}}
{{- $_ := set $ctx.passwords $object $bundle.data -}}
{{- toJson (dict "name" $object "key" "password") -}}
{{- end -}}
{{- end -}}

{{- define "kolla-pod.passwordObjects" -}}
{{- $ctx := . -}}
{{- range $name, $data := .passwords -}}
{{- $metadata := dict "name" $name "namespace" $ctx.Release.Namespace "labels" (fromYaml (include "kolla-pod.labels" (list $ctx "passwords"))) -}}
{{- $_ := merge $metadata (fromJson (include "kolla-pod.kept" $ctx)) -}}
{{- $_ := set $ctx.objects (printf "Secret %s" $name) (dict "apiVersion" "v1" "kind" "Secret" "metadata" $metadata "type" "Opaque" "immutable" true "data" $data) -}}
{{- end -}}
{{- end -}}
