{{/* Templates that files and templates of charts may include; README.md lists them. */}}

{{/*
A password by its name in Kolla's passwords.yml, for the files of config.files.

  global.passwords.NAME        -> the password, written in FORM
  global.passwordSecrets.NAME, or `*` for all others  -> $(password:NAME:FORM) in the text; the Pod mounts the Secret's key next to config.json
    (kolla-pod.volumes), kolla-pod.yaml lists it (kolla-pod.passwordOverlays), and kolla-init replaces it in the same FORM

If both are set, the Secret applies. In: list of context, name and, if the text around it has its own syntax,
FORM: see kolla-pod.passwordAs. The result must not be escaped.
*/}}
{{- define "kolla-pod.password" -}}
{{- $ctx := index . 0 -}}
{{- $name := index . 1 -}}
{{- $form := "" -}}
{{- if gt (len .) 2 -}}{{- $form = index . 2 -}}{{- end -}}
{{- $password := get $ctx.Values.global.passwords $name -}}
{{- /* Counted, to detect a file with a password: kolla-pod.noPassword. */ -}}
{{- $_ := set $ctx "passwordsRead" (add1 ($ctx.passwordsRead | default 0)) -}}
{{- if include "kolla-pod.passwordSecret" (list $ctx $name) | fromJson -}}
{{- if not (hasKey $ctx "placeholders") -}}
{{- fail (printf "%s: the password %s is in a Secret (global.passwordSecrets): a file of config.files may have it, or a variable by env: {NAME: {password: %s}}, and no other text" $ctx.Chart.Name $name $name) -}}
{{- end -}}
{{- $placeholder := printf "$(password:%s%s)" $name (ternary (printf ":%s" $form) "" (ne $form "")) -}}
{{- $_ := set $ctx.placeholders $placeholder $name -}}
{{- $placeholder -}}
{{- else if $password -}}
{{- include "kolla-pod.passwordAs" (list $ctx $name $form $password) -}}
{{- else -}}
{{- /* Reported at the end, all at once: kolla-pod.service. */ -}}
{{- $_ := set $ctx "missingPasswords" (append ($ctx.missingPasswords | default list) $name) -}}
{{- end -}}
{{- end -}}

{{/* The existing Secret of a password: its own or that of `*`; {} if there is none. It is recorded. In: list of context and name. Out: JSON. */}}
{{- define "kolla-pod.passwordSecret" -}}
{{- $secrets := (index . 0).Values.global.passwordSecrets -}}
{{- $given := get $secrets (index . 1) | default (get $secrets "*") -}}
{{- if $given -}}
{{- $key := $given.key | default (index . 1) -}}
{{- $used := (index . 0).usedSecrets | default dict -}}
{{- $_ := set $used $given.secret (append (get $used $given.secret | default list) $key) -}}
{{- $_ := set (index . 0) "usedSecrets" $used -}}
{{- toJson (dict "secret" $given.secret "key" $key) -}}
{{- else -}}{}{{- end -}}
{{- end -}}

{{/*
Fails for a Secret without a key that the chart needs, such as one from before an upgrade: its Pods would only wait. One that does not
exist may come later; `helm template` sees none. In: context.
*/}}
{{- define "kolla-pod.checkSecrets" -}}
{{- $ctx := . -}}
{{- range $secret, $keys := .usedSecrets -}}
{{- $found := lookup "v1" "Secret" $ctx.Release.Namespace $secret -}}
{{- $missing := list -}}
{{- range $key := uniq $keys | sortAlpha -}}{{- if not (hasKey ($found.data | default dict) $key) -}}{{- $missing = append $missing $key -}}{{- end -}}{{- end -}}
{{- if and $found $missing -}}
{{- fail (printf "%s: the Secret %s has no %s, for which global.passwordSecrets names it; add what it lacks: kolla-pod passwords FILE --values globals.yml | kubectl -n %s apply --server-side -f -" $ctx.Chart.Name $secret (join ", " $missing) $ctx.Release.Namespace) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
A password in the form required by the text around it: unchanged, for a `url`, an option of `oslo`.config or of
`rabbitmq`.conf, between '' in `sql`, or `quoted` by "" (my.cnf, Python). The same as kolla-init's
(src/config/overlays/passwords.ts). In: list of context, name, form and password.
*/}}
{{- define "kolla-pod.passwordAs" -}}
{{- $ctx := index . 0 -}}
{{- $name := index . 1 -}}
{{- $form := index . 2 -}}
{{- $password := index . 3 -}}
{{- if not $form -}}{{- $password -}}
{{- /* urlquery writes a space as +, which is not decoded in a URL's user part. */ -}}
{{- else if eq $form "url" -}}{{- urlquery $password | replace "+" "%20" -}}
{{- else if eq $form "oslo" -}}
{{- if regexMatch "[$\\s\"']" $password }}{{ fail (printf "global.passwords.%s: may not hold $, quotes or spaces, which oslo.config would change" $name) }}{{ end -}}
{{- $password -}}
{{- else if eq $form "rabbitmq" -}}
{{- if regexMatch "[#'\\s]" $password }}{{ fail (printf "%s: global.passwords.%s: may not hold #, single quotes or spaces, with which rabbitmq.conf would end it; take another" $ctx.Chart.Name $name) }}{{ end -}}
{{- $password -}}
{{- else if eq $form "sql" -}}{{- $password | replace "\\" "\\\\" | replace "'" "''" -}}
{{- else if eq $form "quoted" -}}{{- $password | replace "\\" "\\\\" | replace "\"" "\\\"" -}}
{{- else -}}
{{- fail (printf "%s: kolla-pod.password of %s: there is no form %s; forms are url, oslo, rabbitmq, sql and quoted" $ctx.Chart.Name $name $form) -}}
{{- end -}}
{{- end -}}

{{/*
Rejects text that contains a password but is not for a Secret. In: list of context, place, passwords read
before, and the fix.
*/}}
{{- define "kolla-pod.noPassword" -}}
{{- $ctx := index . 0 -}}
{{- if gt (int $ctx.passwordsRead) (int (index . 2)) -}}
{{- fail (printf "%s: %s: a password stands in it, and it is for all to read who may read Pods or ConfigMaps; %s" $ctx.Chart.Name (index . 1) (index . 3)) -}}
{{- end -}}
{{- end -}}

{{/*
A template whose result is in a Pod or a ConfigMap, so it may contain no password. In: list of context, text and
place.
*/}}
{{- define "kolla-pod.openText" -}}
{{- $ctx := index . 0 -}}
{{- $before := $ctx.passwordsRead | default 0 -}}
{{- tpl (index . 1) $ctx -}}
{{- include "kolla-pod.noPassword" (list $ctx (index . 2) $before "give it by a variable, env: {NAME: {password: NAME}}, or in a file with secret: true") -}}
{{- end -}}

{{/* SQLAlchemy's URL. In: list of context, database, and, if different, the password's name and the account. */}}
{{- define "kolla-pod.databaseUrl" -}}
{{- $ctx := index . 0 -}}
{{- $database := index . 1 -}}
{{- $password := printf "%s_database_password" $database -}}
{{- if gt (len .) 2 -}}{{- $password = index . 2 -}}{{- end -}}
{{- $user := $database -}}
{{- if gt (len .) 3 -}}{{- $user = index . 3 -}}{{- end -}}
{{- $at := $ctx.Values.global.endpoints.mariadb -}}
{{- printf "mysql+pymysql://%s:%s@%s:%v/%s?charset=utf8" $user (include "kolla-pod.password" (list $ctx $password "url")) $at.host $at.port $database -}}
{{- if include "kolla-pod.tls" $ctx -}}{{- printf "&ssl_ca=%s" (include "kolla-pod.tlsCa" $ctx) -}}{{- end -}}
{{- end -}}

{{/*
oslo.messaging's URL, with the service's own account, which its Job creates. The virtual host is settings.virtualHost if the chart has
that, else global.endpoints.rabbitmq.virtualHost. In: context, or list of context and account.
*/}}
{{- define "kolla-pod.transportUrl" -}}
{{- $ctx := . -}}
{{- $account := "" -}}
{{- if kindIs "slice" . -}}{{- $ctx = index . 0 -}}{{- $account = index . 1 -}}{{- end -}}
{{- $account = $account | default $ctx.Values.service -}}
{{- $at := $ctx.Values.global.endpoints.rabbitmq -}}
{{- $vhost := $ctx.Values.settings.virtualHost | default ($at.virtualHost | default "/" | replace "{account}" $account) -}}
{{- $password := include "kolla-pod.password" (list $ctx (printf "%s_rabbitmq_password" ($account | replace "-" "_")) "url") -}}
{{- printf "rabbit://%s:%s@%s:%v/%s" $account $password $at.host $at.port $vhost -}}
{{- end -}}

{{- define "kolla-pod.identityUrl" -}}
{{- $at := .Values.global.endpoints.keystone -}}
{{- if and (include "kolla-pod.tls" .) (hasPrefix "http:" ($at.url | default "")) -}}
{{- fail (printf "%s: global.endpoints.keystone.url: %s is plain, and global.tls is enabled; take https:" .Chart.Name $at.url) -}}
{{- end -}}
{{- $at.url | default (printf "%s://%s:%v/v3" (include "kolla-pod.scheme" .) $at.host $at.port) -}}
{{- end -}}

{{/* The same for users: by global.publicUrl, if set. */}}
{{- define "kolla-pod.publicIdentityUrl" -}}
{{- if .Values.global.publicUrl -}}
{{- printf "%s/v3" (include "kolla-pod.openstack.publicUrl" (list . "keystone" 5000)) -}}
{{- else -}}
{{- include "kolla-pod.identityUrl" . -}}
{{- end -}}
{{- end -}}

{{/* It also marks the file that asks for them: only Pods that read one are admitted by memcached's NetworkPolicy. In: context. */}}
{{- define "kolla-pod.memcachedServers" -}}
{{- $_ := set . "clientOf" (append (.clientOf | default list) "memcached") -}}
{{- $at := .Values.global.endpoints.memcached -}}
{{- $at.servers | default (printf "%s:%v" $at.host $at.port) -}}
{{- end -}}

{{/*
The address on which a server listens to every family of global.ipFamilies: `::` accepts IPv4 too, but not on a node whose
kernel has no IPv6. In: context.
*/}}
{{- define "kolla-pod.anyAddress" -}}
{{- ternary "::" "0.0.0.0" (has "IPv6" .Values.global.ipFamilies) -}}
{{- end -}}

{{/* The same with a port: `0.0.0.0:5000`, `[::]:5000`. In: list of context and port. */}}
{{- define "kolla-pod.listenAddress" -}}
{{- printf (ternary "[%s]:%v" "%s:%v" (has "IPv6" (index . 0).Values.global.ipFamilies)) (include "kolla-pod.anyAddress" (index . 0)) (index . 1) -}}
{{- end -}}

{{/* "yes" if the Pods' primary addresses are of IPv6, else nothing. In: context. */}}
{{- define "kolla-pod.isIpv6" -}}
{{- if eq (first .Values.global.ipFamilies) "IPv6" -}}yes{{- end -}}
{{- end -}}
