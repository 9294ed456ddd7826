{{/*
A ServiceAccount, and Roles with exactly what its waits read: those that `kolla-init rbac --events` prints (a
test compares them; docs/reference/rbac.md has the table). Their names end in the hash of the rules and they are
kept: during an upgrade, Pods of the old release still wait for the old Job's name when they are restarted.
*/}}

{{/* In: list of context, account, component and roles (of kolla-pod.roles). */}}
{{- define "kolla-pod.access" -}}
{{- $ctx := index . 0 -}}
{{- $account := index . 1 -}}
{{- $labels := fromYaml (include "kolla-pod.labels" (list $ctx (index . 2))) }}
---
{{ toYaml (dict "apiVersion" "v1" "kind" "ServiceAccount" "metadata" (dict "name" $account "namespace" $ctx.Release.Namespace "labels" $labels) "automountServiceAccountToken" false) }}
{{- if $ctx.Values.rbac.create }}
{{- $roles := index . 3 }}
{{- if and $ctx.Values.rbac.rules (not (hasKey $roles $ctx.Release.Namespace)) }}{{ $_ := set $roles $ctx.Release.Namespace list }}{{ end }}
{{- $subject := dict "kind" "ServiceAccount" "name" $account "namespace" $ctx.Release.Namespace }}
{{- range $namespace, $rules := $roles }}
{{- $isCluster := eq $namespace "*" }}
{{- $kind := ternary "ClusterRole" "Role" $isCluster }}
{{- if eq $namespace $ctx.Release.Namespace }}{{ $rules = concat $rules $ctx.Values.rbac.rules }}{{ end }}
{{- $name := printf "%s-%s" (ternary (printf "%s-%s" $ctx.Release.Namespace $account) $account $isCluster) (include "kolla-pod.hash" (toJson $rules)) }}
{{- $metadata := merge (dict "name" $name "labels" $labels) (fromJson (include "kolla-pod.kept" $ctx)) }}
{{- if not $isCluster }}{{ $_ := set $metadata "namespace" $namespace }}{{ end }}
---
{{ toYaml (dict "apiVersion" "rbac.authorization.k8s.io/v1" "kind" $kind "metadata" $metadata "rules" $rules) }}
---
{{ toYaml (dict "apiVersion" "rbac.authorization.k8s.io/v1" "kind" (printf "%sBinding" $kind) "metadata" $metadata "roleRef" (dict "apiGroup" "rbac.authorization.k8s.io" "kind" $kind "name" $name) "subjects" (list $subject)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Waits -> {NAMESPACE: rules}, `*` for the cluster; {} if no wait uses the API server. In: list of waits, own
namespace, and optional further grants. Out: JSON.
*/}}
{{- define "kolla-pod.roles" -}}
{{- $own := index . 1 -}}
{{- $grants := list -}}
{{- range $wait := index . 0 -}}
{{- $grants = concat $grants (fromJsonArray (include "kolla-pod.grantsOf" (list $wait $own))) -}}
{{- end -}}
{{- if gt (len .) 2 -}}{{- $grants = concat $grants (index . 2) -}}{{- end -}}
{{- $roles := dict -}}
{{- if $grants -}}
{{- $grants = append $grants (dict "namespace" $own "group" "events.k8s.io" "resource" "events" "verbs" (list "create")) -}}
{{- range $namespace := include "kolla-pod.namespaces" $grants | fromJsonArray -}}
{{- $rules := list -}}
{{- $resources := list -}}
{{- range $grants -}}{{- if eq .namespace $namespace -}}{{- $resources = append $resources (printf "%s|%s" .group .resource) -}}{{- end -}}{{- end -}}
{{- range $resource := uniq $resources -}}
{{- $those := list -}}
{{- range $grants -}}{{- if and (eq .namespace $namespace) (eq (printf "%s|%s" .group .resource) $resource) -}}{{- $those = append $those . -}}{{- end -}}{{- end -}}
{{- $rules = concat $rules (fromJsonArray (include "kolla-pod.fewestRules" (fromJsonArray (include "kolla-pod.watchedWhole" $those)))) -}}
{{- end -}}
{{- $_ := set $roles $namespace $rules -}}
{{- end -}}
{{- end -}}
{{- toJson $roles -}}
{{- end -}}

{{/* Above 8 names, one watch of all replaces one per name, except for kinds that are always watched by name. */}}
{{- define "kolla-pod.watchedWhole" -}}
{{- $names := list -}}
{{- range . -}}{{- if .name -}}{{- $names = append $names .name -}}{{- end -}}{{- end -}}
{{- $first := first . -}}
{{- if and (gt (len (uniq $names)) 8) (not (has $first.resource (list "secrets" "configmaps" "leases"))) -}}
{{- toJson (list (set (omit $first "name") "verbs" (list "list" "watch"))) -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{- define "kolla-pod.namespaces" -}}
{{- $names := list -}}
{{- range . -}}{{- $names = append $names .namespace -}}{{- end -}}
{{- uniq $names | toJson -}}
{{- end -}}

{{/* For one resource: the verbs on all of it, then names with the same verbs in one rule. */}}
{{- define "kolla-pod.fewestRules" -}}
{{- $all := list -}}
{{- $byName := dict -}}
{{- $order := list -}}
{{- range . -}}
{{- if .name -}}
{{- $order = append $order .name -}}
{{- $_ := set $byName .name (concat (get $byName .name | default list) .verbs) -}}
{{- else -}}
{{- $all = concat $all .verbs -}}
{{- end -}}
{{- end -}}
{{- $all = $all | uniq | sortAlpha -}}
{{- $first := first . -}}
{{- $rules := list -}}
{{- if $all -}}{{- $rules = append $rules (dict "apiGroups" (list $first.group) "resources" (list $first.resource) "verbs" $all) -}}{{- end -}}
{{- $byVerbs := dict -}}
{{- $verbOrder := list -}}
{{- range $name := uniq $order -}}
{{- $left := list -}}
{{- range get $byName $name | uniq | sortAlpha -}}{{- if not (has . $all) -}}{{- $left = append $left . -}}{{- end -}}{{- end -}}
{{- if $left -}}
{{- $verbs := join "," $left -}}
{{- $verbOrder = append $verbOrder $verbs -}}
{{- $_ := set $byVerbs $verbs (append (get $byVerbs $verbs | default list) $name) -}}
{{- end -}}
{{- end -}}
{{- range $verbs := uniq $verbOrder -}}
{{- $rules = append $rules (dict "apiGroups" (list $first.group) "resources" (list $first.resource) "resourceNames" (get $byVerbs $verbs) "verbs" (splitList "," $verbs)) -}}
{{- end -}}
{{- toJson $rules -}}
{{- end -}}

{{/*
Access of one wait: a JSON list of {namespace, group, resource, name, verbs}. In: list of wait and own
namespace.
*/}}
{{- define "kolla-pod.grantsOf" -}}
{{- $text := index . 0 -}}
{{- $own := index . 1 -}}
{{- $grants := list -}}
{{- if not (regexMatch "^!?[a-z0-9+]+:" $text) -}}
{{- $negated := hasPrefix "!" $text -}}
{{- $text = trimPrefix "!" $text -}}
{{- $options := "" -}}
{{- if contains "?" $text -}}{{- $options = regexReplaceAll "^[^?]*\\?" $text "" -}}{{- end -}}
{{- $object := regexReplaceAll "\\?.*$" $text "" -}}
{{- $namespace := $own -}}
{{- if contains "@" $object -}}{{- $namespace = regexReplaceAll "^[^@]*@" $object "" -}}{{- end -}}
{{- $object = regexReplaceAll "@.*$" $object "" -}}
{{- $kind := regexReplaceAll "/.*$" $object "" -}}
{{- $name := "" -}}
{{- if contains "/" $object -}}{{- $name = regexReplaceAll "^[^/]*/" $object "" -}}{{- end -}}
{{- $isOwnNode := regexMatch "(^|&)node=own(&|$)" $options -}}
{{- $watch := ternary (list "watch") (list "list" "watch") (ne $name "") -}}
{{- if and $negated $name -}}{{- $watch = list "get" "watch" -}}{{- end -}}
{{- $lease := "" -}}
{{- $apps := dict "deployment" "deployments" "statefulset" "statefulsets" "daemonset" "daemonsets" -}}
{{- $core := dict "pod" "pods" "configmap" "configmaps" "secret" "secrets" "pvc" "persistentvolumeclaims" -}}
{{- if eq $kind "job" -}}
{{- $lease = regexFind "(^|&)db-sync=[^&]*" $options | trimPrefix "&" | trimPrefix "db-sync=" -}}
{{- if and (not $lease) (hasSuffix "-db-sync" $name) -}}{{- $lease = trimSuffix "-db-sync" $name -}}{{- end -}}
{{- if and $lease $name -}}{{- $watch = list "get" "watch" -}}{{- end -}}
{{- $grants = append $grants (dict "namespace" $namespace "group" "batch" "resource" "jobs" "name" $name "verbs" $watch) -}}
{{- if and $lease (not $negated) -}}
{{- $grants = append $grants (dict "namespace" $namespace "group" "coordination.k8s.io" "resource" "leases" "name" (printf "kolla-db-sync-%s" $lease) "verbs" (list "get")) -}}
{{- end -}}
{{- else if eq $kind "db-sync" -}}
{{- $grants = append $grants (dict "namespace" $namespace "group" "coordination.k8s.io" "resource" "leases" "name" (printf "kolla-db-sync-%s" $name) "verbs" $watch) -}}
{{- else if has $kind (list "service" "endpoints") -}}
{{- $grants = append $grants (dict "namespace" $namespace "group" "discovery.k8s.io" "resource" "endpointslices" "verbs" (list "list" "watch")) -}}
{{- else if eq $kind "container" -}}
{{- $grants = append $grants (dict "namespace" $own "group" "" "resource" "pods" "verbs" (list "watch")) -}}
{{- else if hasKey $apps $kind -}}
{{- $grants = append $grants (dict "namespace" $namespace "group" "apps" "resource" (get $apps $kind) "name" $name "verbs" $watch) -}}
{{- if eq $kind "daemonset" -}}
{{- $grants = append $grants (dict "namespace" $namespace "group" "" "resource" "pods" "verbs" (list "list" "watch")) -}}
{{- $grants = append $grants (dict "namespace" $own "group" "" "resource" "pods" "verbs" (list "get")) -}}
{{- end -}}
{{- else if eq $kind "node" -}}
{{- $grants = append $grants (dict "namespace" "*" "group" "" "resource" "nodes" "name" $name "verbs" $watch) -}}
{{- if $isOwnNode -}}{{- $grants = append $grants (dict "namespace" $own "group" "" "resource" "pods" "verbs" (list "get")) -}}{{- end -}}
{{- else if hasKey $core $kind -}}
{{- $grants = append $grants (dict "namespace" $namespace "group" "" "resource" (get $core $kind) "name" $name "verbs" $watch) -}}
{{- if $isOwnNode -}}{{- $grants = append $grants (dict "namespace" $own "group" "" "resource" "pods" "verbs" (list "get")) -}}{{- end -}}
{{- else if contains "." $kind -}}
{{- $parts := splitn "." 2 $kind -}}
{{- $grants = append $grants (dict "namespace" $namespace "group" $parts._1 "resource" $parts._0 "name" $name "verbs" $watch) -}}
{{- else -}}
{{- fail (printf "wait '%s': no Role is known for %s; write it as RESOURCE.GROUP/NAME" (index . 0) $kind) -}}
{{- end -}}
{{- end -}}
{{- toJson $grants -}}
{{- end -}}
