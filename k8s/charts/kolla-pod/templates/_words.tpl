{{/* What files and templates of charts may include; README.md lists them. */}}

{{/* A password by its name in Kolla's passwords.yml. In: list of context and name. */}}
{{- define "kolla-pod.password" -}}
{{- $ctx := index . 0 -}}
{{- $name := index . 1 -}}
{{- $password := get $ctx.Values.global.passwords $name -}}
{{- /* Counted, so that a file with one is known: kolla-pod.noPassword. */ -}}
{{- $_ := set $ctx "passwordsRead" (add1 ($ctx.passwordsRead | default 0)) -}}
{{- if $password -}}
{{- $password -}}
{{- else if hasKey $ctx.Values.global.passwordSecrets $name -}}
{{- fail (printf "%s: the password %s stands in a file, so it must be under global.passwords; global.passwordSecrets are for variables" $ctx.Chart.Name $name) -}}
{{- else -}}
{{- /* Told at the end, all at once: kolla-pod.service. */ -}}
{{- $_ := set $ctx "missingPasswords" (append ($ctx.missingPasswords | default list) $name) -}}
{{- end -}}
{{- end -}}

{{/* Refuses what was made with a password and is to be no Secret. In: list of context, place, passwords read before, and the fix. */}}
{{- define "kolla-pod.noPassword" -}}
{{- $ctx := index . 0 -}}
{{- if gt (int $ctx.passwordsRead) (int (index . 2)) -}}
{{- fail (printf "%s: %s: a password stands in it, and it is for all to read who may read Pods or ConfigMaps; %s" $ctx.Chart.Name (index . 1) (index . 3)) -}}
{{- end -}}
{{- end -}}

{{/* A template that ends in a Pod or a ConfigMap, so no password may. In: list of context, text and place. */}}
{{- define "kolla-pod.openText" -}}
{{- $ctx := index . 0 -}}
{{- $before := $ctx.passwordsRead | default 0 -}}
{{- tpl (index . 1) $ctx -}}
{{- include "kolla-pod.noPassword" (list $ctx (index . 2) $before "give it by a variable, env: {NAME: {password: NAME}}, or in a file with secret: true") -}}
{{- end -}}

{{/* SQLAlchemy's URL. In: list of context, database, and if they differ the password's name and the account. */}}
{{- define "kolla-pod.databaseUrl" -}}
{{- $ctx := index . 0 -}}
{{- $database := index . 1 -}}
{{- $password := printf "%s_database_password" $database -}}
{{- if gt (len .) 2 -}}{{- $password = index . 2 -}}{{- end -}}
{{- $user := $database -}}
{{- if gt (len .) 3 -}}{{- $user = index . 3 -}}{{- end -}}
{{- $at := $ctx.Values.global.endpoints.mariadb -}}
{{- printf "mysql+pymysql://%s:%s@%s:%v/%s?charset=utf8" $user (include "kolla-pod.urlWord" (include "kolla-pod.password" (list $ctx $password))) $at.host $at.port $database -}}
{{- end -}}

{{/* oslo.messaging's URL, as user openstack of virtual host /, or of settings.virtualHost where a chart has that. */}}
{{- define "kolla-pod.transportUrl" -}}
{{- $at := .Values.global.endpoints.rabbitmq -}}
{{- $vhost := .Values.settings.virtualHost | default "/" -}}
{{- printf "rabbit://openstack:%s@%s:%v/%s" (include "kolla-pod.urlWord" (include "kolla-pod.password" (list . "rabbitmq_password"))) $at.host $at.port $vhost -}}
{{- end -}}

{{- define "kolla-pod.identityUrl" -}}
{{- $at := .Values.global.endpoints.keystone -}}
{{- $at.url | default (printf "http://%s:%v/v3" $at.host $at.port) -}}
{{- end -}}

{{/* The same, as users reach it: by global.publicUrl, where there is one. */}}
{{- define "kolla-pod.publicIdentityUrl" -}}
{{- if .Values.global.publicUrl -}}
{{- printf "%s/v3" (include "kolla-pod.openstack.publicUrl" (list . "keystone" 5000)) -}}
{{- else -}}
{{- include "kolla-pod.identityUrl" . -}}
{{- end -}}
{{- end -}}

{{- define "kolla-pod.memcachedServers" -}}
{{- $at := .Values.global.endpoints.memcached -}}
{{- $at.servers | default (printf "%s:%v" $at.host $at.port) -}}
{{- end -}}

{{/* urlquery writes a space as +, which a URL's user part does not know. */}}
{{- define "kolla-pod.urlWord" -}}
{{- urlquery . | replace "+" "%20" -}}
{{- end -}}
