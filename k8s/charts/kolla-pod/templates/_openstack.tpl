{{/*
Sections shared by the configuration files of several OpenStack services, for the files/ of a chart:

  global.passwords, global.endpoints, settings.extra, .conf and .uwsgi -> sections, each with its header -> files/NAME.conf

Every template takes a list, the root first. oslo.config replaces `$` in a value and drops quotes around it, so a
password with one is rejected by its name; in URLs it is escaped.
*/}}

{{/* A password as the value of an option. (list root NAME) */}}
{{- define "kolla-pod.openstack.password" -}}
{{- include "kolla-pod.password" (list (index . 0) (index . 1) "oslo") -}}
{{- end }}

{{/* HOST:PORT of a service. (list root NAME PORT); global.endpoints.NAME sets its host if that is not its own name */}}
{{- define "kolla-pod.openstack.address" -}}
{{- $endpoint := get ((index . 0).Values.global.endpoints | default dict) (index . 1) | default dict -}}
{{- printf "%s:%v" ($endpoint.host | default (index . 1)) ($endpoint.port | default (index . 2)) -}}
{{- end }}

{{/* SCHEME://HOST:PORT of an API, for other services. (list root NAME PORT) */}}
{{- define "kolla-pod.openstack.url" -}}
{{- $endpoint := get ((index . 0).Values.global.endpoints | default dict) (index . 1) | default dict -}}
{{- printf "%s://%s" ($endpoint.scheme | default (include "kolla-pod.scheme" (index . 0))) (include "kolla-pod.openstack.address" .) -}}
{{- end }}

{{/* The same for users: by global.publicUrl, if set. (list root NAME PORT) */}}
{{- define "kolla-pod.openstack.publicUrl" -}}
{{- $public := (index . 0).Values.global.publicUrl | default "" -}}
{{- if $public -}}
{{- $url := $public | replace "{path}" "" | replace "{name}" (index . 1) | replace "{port}" (index . 2 | toString) | replace "{region}" (index . 0).Values.global.region | replace "{interface}" "public" -}}
{{- if contains "{" $url -}}
{{- fail (printf "global.publicUrl: %s: charts know {name}, {port}, {path}, {region} and {interface} alone" $public) -}}
{{- end -}}
{{- trimSuffix "/" $url -}}
{{- else -}}
{{- include "kolla-pod.openstack.url" . -}}
{{- end -}}
{{- end }}

{{/* (list root SECTION DATABASE [PASSWORD [ACCOUNT]]), the arguments after SECTION as for kolla-pod.databaseUrl */}}
{{- define "kolla-pod.openstack.database" -}}
[{{ index . 1 }}]
connection = {{ include "kolla-pod.databaseUrl" (concat (list (index . 0)) (slice . 2)) }}
connection_recycle_time = 10
max_retries = -1
{{- end }}

{{/* RabbitMQ options of a service. (list root) */}}
{{- define "kolla-pod.openstack.rabbit" -}}
[oslo_messaging_rabbit]
rabbit_quorum_queue = true
rabbit_transient_quorum_queue = true
{{- if include "kolla-pod.tls" (index . 0) }}
ssl = true
ssl_ca_file = {{ include "kolla-pod.tlsCa" . }}
{{- end }}
{{- end }}

{{/* A service's Keystone credentials, for a section without region_name. (list root SERVICE) */}}
{{- define "kolla-pod.openstack.account" -}}
{{- $root := index . 0 -}}
auth_type = password
auth_url = {{ include "kolla-pod.identityUrl" $root }}
username = {{ index . 1 }}
password = {{ include "kolla-pod.openstack.password" (list $root (printf "%s_keystone_password" (index . 1))) }}
user_domain_name = {{ $root.Values.global.domain }}
project_name = service
project_domain_name = {{ $root.Values.global.domain }}
{{- include "kolla-pod.caOption" (list $root "cafile") }}
{{- end }}

{{/* The same with the region in which it looks up other services. (list root SERVICE) */}}
{{- define "kolla-pod.openstack.login" -}}
{{ include "kolla-pod.openstack.account" . }}
region_name = {{ (index . 0).Values.global.region }}
{{- end }}

{{/*
Token validation of an API. (list root SERVICE TYPE), TYPE of the service in Keystone's catalogue. memcached has no login, so what it
returns counts only if one of the services has encrypted and signed it. With TLS each process caches tokens itself: in releases
before 2026.1 keystonemiddleware's client of memcached has no TLS.
*/}}
{{- define "kolla-pod.openstack.authtoken" -}}
{{- $root := index . 0 -}}
[keystone_authtoken]
{{ include "kolla-pod.openstack.login" (list $root (index . 1)) }}
service_type = {{ index . 2 }}
service_token_roles_required = true
www_authenticate_uri = {{ include "kolla-pod.publicIdentityUrl" $root | trimSuffix "/v3" }}
memcache_security_strategy = ENCRYPT
memcache_secret_key = {{ include "kolla-pod.openstack.password" (list $root "memcache_secret_key") }}
{{- if not (include "kolla-pod.tls" $root) }}
memcached_servers = {{ include "kolla-pod.openstack.cacheServers" . }}
memcache_pool_dead_retry = {{ include "kolla-pod.openstack.deadRetry" . }}
{{- end }}
{{- end }}

{{/*
memcached's servers for oslo.cache and keystonemiddleware. Without TLS their client, python-memcached, looks up IPv4 addresses only,
unless a server is written inet6:[HOST]:PORT. (list root)
*/}}
{{- define "kolla-pod.openstack.cacheServers" -}}
{{- $root := index . 0 -}}
{{- $isIpv6 := not (has "IPv4" $root.Values.global.ipFamilies) -}}
{{- $servers := list -}}
{{- range splitList "," (include "kolla-pod.memcachedServers" $root) -}}
{{- $server := trim . -}}
{{- if and (or $isIpv6 (hasPrefix "[" $server)) (not (include "kolla-pod.tls" $root)) -}}
{{- $server = regexReplaceAll "^(?:\\[([^\\]]+)\\]|([^:\\[]+)):([0-9]+)$" $server "inet6:[${1}${2}]:${3}" -}}
{{- end -}}
{{- $servers = append $servers $server -}}
{{- end -}}
{{- join "," $servers -}}
{{- end }}

{{/* Seconds. A Pod of memcached that ends is back after one or two; its clients would not try it again for five minutes. */}}
{{- define "kolla-pod.openstack.deadRetry" -}}10{{- end }}

{{/* Of [cache]: with TLS one whose client has TLS and is in all of Kolla's images. (list root BACKEND) */}}
{{- define "kolla-pod.openstack.cacheBackend" -}}
{{- ternary "dogpile.cache.bmemcached" (index . 1) (ne (include "kolla-pod.tls" (index . 0)) "") -}}
{{- end }}

{{/* (list root) */}}
{{- define "kolla-pod.openstack.cacheTls" -}}
{{- if include "kolla-pod.tls" (index . 0) }}
tls_enabled = true
tls_cafile = {{ include "kolla-pod.tlsCa" . }}
{{- end -}}
{{- end }}

{{/* Cached responses. (list root) */}}
{{- define "kolla-pod.openstack.cache" -}}
[cache]
enabled = true
backend = {{ include "kolla-pod.openstack.cacheBackend" (list (index . 0) "oslo_cache.memcache_pool") }}
memcache_servers = {{ include "kolla-pod.openstack.cacheServers" . }}
memcache_dead_retry = {{ include "kolla-pod.openstack.deadRetry" . }}
{{- include "kolla-pod.openstack.cacheTls" . }}
{{- end }}

{{/*
Options of the operator, of which the last one applies; a list repeats the option. settings.extra.SECTION.OPTION
is for the service's main file, settings.conf.FILE.SECTION.OPTION for any. A FILE unknown to the chart is
rejected, since no service would read it. (list root FILE ["main"])
*/}}
{{- define "kolla-pod.openstack.extra" -}}
{{- $root := index . 0 -}}
{{- $conf := $root.Values.settings.conf | default dict -}}
{{- $known := list -}}
{{- range $record := $root.Values.config.files -}}
{{- $file := ($record | default dict).file | default "" -}}
{{- if contains "kolla-pod.openstack.extra" ($root.Files.Get $file) -}}{{- $known = append $known (base $file) -}}{{- end -}}
{{- end -}}
{{- range $name := keys $conf -}}
{{- if not (has $name $known) -}}
{{- fail (printf "%s: settings.conf.%s: the chart has no such file; it has %s" $root.Chart.Name $name (sortAlpha $known | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- if gt (len .) 2 -}}{{- include "kolla-pod.openstack.sections" $root.Values.settings.extra -}}{{- end -}}
{{- include "kolla-pod.openstack.sections" (get $conf (index . 1)) -}}
{{- end }}

{{- define "kolla-pod.openstack.sections" -}}
{{- range $section, $options := . | default dict }}
[{{ $section }}]
{{- range $option, $value := $options }}
{{- range $one := ternary $value (list $value) (kindIs "slice" $value) }}
{{ $option }} = {{ $one }}
{{- end }}
{{- end }}
{{ end }}
{{- end }}

{{/*
uWSGI in front of every API, configured as by Kolla. (list root MODULE PORT LOG), LOG below /var/log/kolla. It
closes each connection after one response: without the header that announces this, a client would send its next
request into a closed connection.
*/}}
{{- define "kolla-pod.openstack.uwsgi" -}}
{{- $settings := (index . 0).Values.settings -}}
{{- $uwsgi := merge dict ($settings.uwsgi | default dict) (pick $settings "processes" "threads") -}}
[uwsgi]
module = {{ index . 1 }}
{{- if include "kolla-pod.tls" (index . 0) }}
https = {{ include "kolla-pod.listenAddress" (list (index . 0) (index . 2)) }},{{ include "kolla-pod.tlsCertificate" . }},{{ include "kolla-pod.tlsKey" . }}
# A renewed certificate; requests in progress are completed.
touch-reload = {{ include "kolla-pod.tlsCertificate" . }}
{{- else }}
http = {{ include "kolla-pod.listenAddress" (list (index . 0) (index . 2)) }}
{{- end }}
http-auto-chunked = true
http-chunked-input = true
http-raw-body = true
add-header = Connection: close
buffer-size = 65535
die-on-term = true
enable-threads = true
exit-on-reload = false
hook-master-start = unix_signal:15 gracefully_kill_them_all
lazy-apps = true
logto2 = /var/log/kolla/{{ index . 3 }}
master = true
need-app = true
plugins-dir = {{ $uwsgi.pluginsDir | default "/usr/lib/uwsgi/plugins" }}
plugins = {{ $uwsgi.plugins | default "python3" }}
processes = {{ $uwsgi.processes | default 4 }}
socket-timeout = 30
threads = {{ $uwsgi.threads | default 1 }}
thunder-lock = true
worker-reload-mercy = {{ $uwsgi.reloadMercy | default 40 }}
{{- end }}

{{/*
Shutdown timeout in seconds of an oslo.service process: the grace period of the workloads that read FILE, minus
their preStop, and minus the 25 s in which kolla-sidecar ships the last lines (log-ship's 20 s, and 5 s more).
(list root FILE), FILE of config.files
*/}}
{{- define "kolla-pod.openstack.shutdownSeconds" -}}
{{- $root := index . 0 -}}
{{- $file := index . 1 -}}
{{- $seconds := list -}}
{{- range $workload := $root.Values.workloads -}}
{{- if and $workload.enabled (not $workload.configJson) (or (not $workload.files) (has $file $workload.files)) -}}
{{- $seconds = append $seconds (sub (int $workload.terminationGracePeriodSeconds) (add (int $workload.preStopSeconds) 25) | int) -}}
{{- end -}}
{{- end -}}
{{- $least := first (append $seconds 60) -}}
{{- range $seconds -}}{{- $least = min $least . -}}{{- end -}}
{{- /* 0 would mean no limit. */ -}}
{{- max 1 $least -}}
{{- end }}

{{/* Fails for a cell that would share its virtual host with nova's super-conductor. In: root */}}
{{- define "kolla-pod.openstack.cellHost" -}}
{{- $super := dig "nova" "workloads" "super-conductor" "enabled" false (.Values.global.charts | default dict) -}}
{{- if and $super (not .Values.settings.virtualHost) -}}
{{- fail (printf "%s: settings.virtualHost: nova's super-conductor is enabled, and would take the requests to the cell's conductor, which has another database: name a virtual host of the cell's own, or / where it has a broker of its own" .Chart.Name) -}}
{{- end -}}
{{- end }}

{{/*
The wait until no Pod of a workload of another release is left: Nova's services rolled in another order break requests, and
an agent of Neutron can't report to an older server.
(list root CHART WORKLOAD [NAMESPACE])
*/}}
{{- define "kolla-pod.openstack.rolled" -}}
{{- $at := "" -}}
{{- if gt (len .) 3 -}}{{- $at = printf "@%s" (index . 3) -}}{{- end -}}
{{- printf "!pod%s?label=app.kubernetes.io/name=%s&label=app.kubernetes.io/component=%s&label=app.kubernetes.io/version!=%s" $at (index . 1) (index . 2) (include "kolla-pod.versionLabel" (index . 0)) -}}
{{- end }}

{{/* Options of all of Nova's services, above the cells and in them. (list root FILE), FILE of config.files */}}
{{- define "kolla-pod.openstack.nova" -}}
{{- $root := index . 0 -}}
{{- $shutdown := include "kolla-pod.openstack.shutdownSeconds" . | int -}}
[DEFAULT]
# From 2026.1 on Nova's own are 180 and 160 s, and a manager waits that long even if it is idle.
graceful_shutdown_timeout = {{ $shutdown }}
manager_shutdown_timeout = {{ max 0 (sub $shutdown 20) }}
log_dir = /var/log/kolla/nova
state_path = /var/lib/nova
transport_url = {{ include "kolla-pod.transportUrl" (list $root "nova") }}

[glance]
endpoint_override = {{ include "kolla-pod.openstack.url" (list $root "glance" 9292) }}
{{- include "kolla-pod.caOption" (list $root "cafile") }}
{{- if include "kolla-pod.tls" $root }}

# Asked whether a project exists.
[keystone]
cafile = {{ include "kolla-pod.tlsCa" $root }}
{{- end }}

[cinder]
catalog_info = block-storage::internalURL
os_region_name = {{ $root.Values.global.region }}
{{ include "kolla-pod.openstack.account" (list $root "nova") }}

[neutron]
metadata_proxy_shared_secret = {{ include "kolla-pod.openstack.password" (list $root "metadata_secret") }}
service_metadata_proxy = true
valid_interfaces = internal
{{ include "kolla-pod.openstack.login" (list $root "nova") }}

[placement]
valid_interfaces = internal
{{ include "kolla-pod.openstack.login" (list $root "nova") }}

[service_user]
send_service_user_token = true
{{ include "kolla-pod.openstack.account" (list $root "nova") }}

[oslo_concurrency]
lock_path = /var/lib/nova/tmp

[oslo_middleware]
enable_proxy_headers_parsing = true

[oslo_messaging_notifications]
driver = noop

[upgrade_levels]
compute = auto

{{ include "kolla-pod.openstack.rabbit" . }}
{{- end }}
