{{/* Services, NetworkPolicy and PodDisruptionBudget of a workload. */}}

{{/* As data: {NAME: values}. In: workload. */}}
{{- define "kolla-pod.services" -}}
{{- if hasKey .values "services" -}}
{{- toJson .values.services -}}
{{- else if .values.ports -}}
{{- toJson (dict .name dict) -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/* The name of a StatefulSet's Pods in DNS: its first headless Service. In: list of context and workload. */}}
{{- define "kolla-pod.governingService" -}}
{{- $workload := index . 1 -}}
{{- $names := list -}}
{{- range $name, $service := fromJson (include "kolla-pod.services" $workload) -}}
{{- if $service.headless -}}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- first (append (sortAlpha $names) $workload.name) -}}
{{- end -}}

{{/* The label of Pods that connect to a port with `clients`. In: its value. */}}
{{- define "kolla-pod.clientLabel" -}}
{{- printf "kolla-pod/uses-%s" . -}}
{{- end -}}

{{/*
The sources of a port: all Pods of the namespace, or networkPolicy.from and the release's own Pods. Nodes of a database look at each
other's port: one that finds none there founds a cluster. Jobs before an upgrade and `helm test` connect, too. In: context. Out: JSON list.
*/}}
{{- define "kolla-pod.sources" -}}
{{- $own := dict "podSelector" (dict "matchLabels" (omit (fromYaml (include "kolla-pod.selector" (list . ""))) "app.kubernetes.io/component")) -}}
{{- toJson (empty .Values.networkPolicy.from | ternary (list (dict "podSelector" dict)) (append .Values.networkPolicy.from $own)) -}}
{{- end -}}

{{/*
The sources of a port with `clients`: of those only Pods with the label, and no address block: a Pod on the
host's network has no label. In: list of context and `clients`. Out: JSON list.
*/}}
{{- define "kolla-pod.clientSources" -}}
{{- $sources := list -}}
{{- range $source := fromJsonArray (include "kolla-pod.sources" (index . 0)) -}}
{{- if not (hasKey $source "ipBlock") -}}
{{- $selector := $source.podSelector | default dict -}}
{{- $_ := set $selector "matchLabels" (merge (dict (include "kolla-pod.clientLabel" (index $ 1)) "true") ($selector.matchLabels | default dict)) -}}
{{- $_ := set $source "podSelector" $selector -}}
{{- $sources = append $sources $source -}}
{{- end -}}
{{- end -}}
{{- toJson $sources -}}
{{- end -}}

{{/* In: list of context and workload. */}}
{{- define "kolla-pod.network" -}}
{{- $ctx := index . 0 -}}
{{- $workload := index . 1 -}}
{{- $values := $workload.values -}}
{{- $selector := fromYaml (include "kolla-pod.selector" (list $ctx $workload.key)) -}}
{{- $labels := fromYaml (include "kolla-pod.labels" (list $ctx $workload.key)) -}}
{{- $numbers := list -}}
{{- $ownNumbers := list -}}
{{- $clientNumbers := dict -}}
{{- range $name, $port := $values.ports -}}
{{- $given := kindIs "map" $port | ternary $port (dict "port" $port) -}}
{{- $number := dict "port" (int $given.port) "protocol" ($given.protocol | default "TCP") -}}
{{- if $given.peersOnly -}}{{- $ownNumbers = append $ownNumbers $number -}}
{{- else if $given.clients -}}{{- $_ := set $clientNumbers $given.clients (append (get $clientNumbers $given.clients | default list) $number) -}}
{{- else -}}{{- $numbers = append $numbers $number -}}{{- end -}}
{{- end -}}
{{- range $name, $service := fromJson (include "kolla-pod.services" $workload) }}
{{- $ports := list -}}
{{- range $port := $service.ports | default (keys $values.ports | sortAlpha) -}}
{{- if not (hasKey $values.ports $port) -}}{{- fail (printf "%s: workloads.%s.services.%s: there is no %s under ports" $ctx.Chart.Name $workload.key $name $port) -}}{{- end -}}
{{- $given := get $values.ports $port -}}
{{- $given = kindIs "map" $given | ternary $given (dict "port" $given) -}}
{{- $ports = append $ports (dict "name" $port "port" (int $given.port) "targetPort" $port "protocol" ($given.protocol | default "TCP")) -}}
{{- end -}}
{{- $spec := dict "selector" $selector "ports" $ports -}}
{{- /* Nothing for the default: Kubernetes takes the cluster's first family. */ -}}
{{- if ne ($ctx.Values.global.ipFamilies | join ",") "IPv4" -}}
{{- $_ := set $spec "ipFamilies" $ctx.Values.global.ipFamilies -}}
{{- $_ := set $spec "ipFamilyPolicy" (ternary "PreferDualStack" "SingleStack" (gt (len $ctx.Values.global.ipFamilies) 1)) -}}
{{- end -}}
{{- if $service.headless -}}{{- $_ := set $spec "clusterIP" "None" -}}{{- end -}}
{{- if $service.publishNotReadyAddresses -}}{{- $_ := set $spec "publishNotReadyAddresses" true -}}{{- end -}}
{{- with $service.type -}}{{- $_ := set $spec "type" . -}}{{- end -}}
{{- with $service.clusterIP -}}{{- $_ := set $spec "clusterIP" . -}}{{- end -}}
{{- $metadata := dict "name" $name "namespace" $ctx.Release.Namespace "labels" $labels -}}
{{- with $service.annotations -}}{{- $_ := set $metadata "annotations" . -}}{{- end }}
---
{{ toYaml (dict "apiVersion" "v1" "kind" "Service" "metadata" $metadata "spec" $spec) }}
{{- end }}
{{- $metadata := dict "name" $workload.name "namespace" $ctx.Release.Namespace "labels" $labels }}
{{- if and $values.pdb (ne $values.kind "DaemonSet") (gt (int $values.replicas) 1) }}
{{- $budget := hasKey $values.pdb "minAvailable" | ternary (omit $values.pdb "maxUnavailable") $values.pdb }}
{{- $spec := merge (dict "selector" (dict "matchLabels" $selector)) $budget }}
---
{{ toYaml (dict "apiVersion" "policy/v1" "kind" "PodDisruptionBudget" "metadata" $metadata "spec" $spec) }}
{{- end }}
{{- /* Policies do not apply to Pods on the host's network. */ -}}
{{- if and $ctx.Values.networkPolicy.enabled (not $values.hostNetwork.reason) }}
{{- $ingress := list -}}
{{- if $numbers -}}
{{- $ingress = append $ingress (dict "ports" $numbers "from" (fromJsonArray (include "kolla-pod.sources" $ctx))) -}}
{{- end -}}
{{- range $clients, $ports := $clientNumbers -}}
{{- $ingress = append $ingress (dict "ports" $ports "from" (fromJsonArray (include "kolla-pod.clientSources" (list $ctx $clients)))) -}}
{{- end -}}
{{- if $ownNumbers -}}
{{- /* Regardless of networkPolicy.from: a member of the cluster has all of its data. */ -}}
{{- $ingress = append $ingress (dict "ports" $ownNumbers "from" (list (dict "podSelector" (dict "matchLabels" $selector)))) -}}
{{- end -}}
{{- if include "kolla-pod.sidecarComponents" . -}}
{{- /* Some networks' kubelets connect from outside of the Pods, and monitoring from another namespace. */ -}}
{{- $ingress = append $ingress (dict "ports" (list (dict "port" (int $values.sidecar.port) "protocol" "TCP"))) -}}
{{- end -}}
{{- $spec := dict "podSelector" (dict "matchLabels" $selector) "policyTypes" (list "Ingress") "ingress" $ingress -}}
{{- with $ctx.Values.networkPolicy.egress -}}
{{- $_ := set $spec "policyTypes" (list "Ingress" "Egress") -}}
{{- $_ := set $spec "egress" . -}}
{{- end }}
---
{{ toYaml (dict "apiVersion" "networking.k8s.io/v1" "kind" "NetworkPolicy" "metadata" $metadata "spec" $spec) }}
{{- end }}
{{- end -}}
