{{/*
TLS between all servers of the charts and their clients, by global.tls.enabled. Certificates come in existing Secrets, by the
names that cert-manager gives their keys:

  global.tls.ca                  -> CA bundle, /etc/kolla-tls/ca/ca.crt in every container of a Pod with clients (tls.client)
  WORKLOAD-tls (tls.crt, tls.key) -> /etc/kolla-tls/server, in the container of a service that serves (tls.serves), in no other

Both are mounted as they are, so that the kubelet's renewals reach the files. Without global.tls.enabled nothing here renders.
*/}}

{{/* "yes" or nothing. In: context or root. */}}
{{- define "kolla-pod.tls" -}}
{{- if (.Values.global.tls | default dict).enabled -}}yes{{- end -}}
{{- end -}}

{{/* Of an HTTP server of the charts. In: context. */}}
{{- define "kolla-pod.scheme" -}}
{{- ternary "https" "http" (ne (include "kolla-pod.tls" .) "") -}}
{{- end -}}

{{- define "kolla-pod.tlsCa" -}}/etc/kolla-tls/ca/ca.crt{{- end -}}
{{- define "kolla-pod.tlsCertificate" -}}/etc/kolla-tls/server/tls.crt{{- end -}}
{{- define "kolla-pod.tlsKey" -}}/etc/kolla-tls/server/tls.key{{- end -}}

{{/* A line of an INI file, `OPTION = CA bundle`, where clients use TLS. In: list of context and option. */}}
{{- define "kolla-pod.caOption" -}}
{{- if include "kolla-pod.tls" (index . 0) }}
{{ index . 1 }} = {{ include "kolla-pod.tlsCa" . }}
{{- end -}}
{{- end -}}

{{/* kolla-probe's check of an HTTP server in its own Pod. In: list of context, port and path. */}}
{{- define "kolla-pod.httpCheck" -}}
{{- $ctx := index . 0 -}}
{{- printf "http %s://127.0.0.1:%v%s" (include "kolla-pod.scheme" $ctx) (index . 1) (index . 2) -}}
{{- if include "kolla-pod.tls" $ctx }} --ca-file {{ include "kolla-pod.tlsCa" $ctx }}{{- end -}}
{{- end -}}

{{/* kolla-probe's check of another server in its own Pod: with TLS, a handshake. In: list of context, its own check and port. */}}
{{- define "kolla-pod.serverCheck" -}}
{{- if include "kolla-pod.tls" (index . 0) -}}
tls 127.0.0.1:{{ index . 2 }} --ca-file {{ include "kolla-pod.tlsCa" . }}
{{- else -}}
{{- index . 1 -}}
{{- end -}}
{{- end -}}

{{/*
The wait for a server that greets its clients: within TLS kolla-init does not look for a greeting. In: list of context, kind of wait and
HOST:PORT.
*/}}
{{- define "kolla-pod.serverWait" -}}
{{- printf "%s://%s" (ternary "tcp" (index . 1) (ne (include "kolla-pod.tls" (index . 0)) "")) (index . 2) -}}
{{- end -}}

{{/* In: context. */}}
{{- define "kolla-pod.brokerWait" -}}
{{- include "kolla-pod.serverWait" (list . "amqp" (include "kolla-pod.openstack.address" (list . "rabbitmq" 5672))) -}}
{{- end -}}

{{/* Whether a workload has clients, or serves: "yes" or nothing. In: list of context, workload and `client` or `serves`. */}}
{{- define "kolla-pod.usesTls" -}}
{{- if and (include "kolla-pod.tls" (index . 0)) (get (index . 1).values.tls (index . 2)) -}}yes{{- end -}}
{{- end -}}

{{/* Volumes of a Pod. In: as kolla-pod.podTemplate. Out: JSON list. */}}
{{- define "kolla-pod.tlsVolumes" -}}
{{- $volumes := list -}}
{{- if include "kolla-pod.usesTls" (list .ctx .workload "client") -}}
{{- $ca := .ctx.Values.global.tls.ca -}}
{{- $items := list (dict "key" $ca.key "path" "ca.crt") -}}
{{- $source := ternary (dict "configMap" (dict "name" $ca.configMap "items" $items)) (dict "secret" (dict "secretName" $ca.secret "items" $items)) (hasKey $ca "configMap") -}}
{{- $volumes = append $volumes (set $source "name" "tls-ca") -}}
{{- end -}}
{{- if and .isWorkload (include "kolla-pod.usesTls" (list .ctx .workload "serves")) -}}
{{- $secret := .workload.values.tls.secret | default (get .ctx.Values.global.tls.secrets .workload.name) | default (printf "%s-tls" .workload.name) -}}
{{- /* Its files are root's, and of the Pod's fsGroup. */ -}}
{{- $items := list (dict "key" "tls.crt" "path" "tls.crt") (dict "key" "tls.key" "path" "tls.key") -}}
{{- $volumes = append $volumes (dict "name" "tls-server" "secret" (dict "secretName" $secret "defaultMode" 0440 "items" $items)) -}}
{{- end -}}
{{- toJson $volumes -}}
{{- end -}}

{{/* Mounts of a container: the CA bundle; of a server also its certificate and key. In: list of context, workload and whether it is the server. Out: JSON list. */}}
{{- define "kolla-pod.tlsMounts" -}}
{{- $mounts := list -}}
{{- if include "kolla-pod.usesTls" (list (index . 0) (index . 1) "client") -}}
{{- $mounts = append $mounts (dict "name" "tls-ca" "mountPath" (dir (include "kolla-pod.tlsCa" .)) "readOnly" true) -}}
{{- end -}}
{{- if and (index . 2) (include "kolla-pod.usesTls" (list (index . 0) (index . 1) "serves")) -}}
{{- $mounts = append $mounts (dict "name" "tls-server" "mountPath" (dir (include "kolla-pod.tlsCertificate" .)) "readOnly" true) -}}
{{- end -}}
{{- toJson $mounts -}}
{{- end -}}
