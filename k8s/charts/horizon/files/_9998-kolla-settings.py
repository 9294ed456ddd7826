{{- if include "kolla-pod.tls" . -}}
import ssl

{{ end -}}
DEBUG = False
WEBROOT = '/'
ALLOWED_HOSTS = [{{ range $i, $host := .Values.settings.allowedHosts }}{{ if $i }}, {{ end }}{{ $host | quote }}{{ end }}]
SECRET_KEY = "{{ include "kolla-pod.password" (list . "horizon_secret_key" "quoted") }}"

SESSION_ENGINE = 'django.contrib.sessions.backends.cache'
CACHES = {
    'default': {
        'BACKEND': 'django.core.cache.backends.memcached.PyMemcacheCache',
        'LOCATION': [{{ range $i, $server := include "kolla-pod.memcachedServers" . | splitList "," }}{{ if $i }}, {{ end }}{{ trim $server | quote }}{{ end }}],
        'OPTIONS': {'ignore_exc': True{{ if include "kolla-pod.tls" . }}, 'tls_context': ssl.create_default_context(cafile='{{ include "kolla-pod.tlsCa" . }}'){{ end }}},
    }
}
{{- if .Values.settings.behindTls }}

SECURE_PROXY_SSL_HEADER = ('HTTP_X_FORWARDED_PROTO', 'https')
{{- end }}
{{- if or .Values.settings.behindTls (include "kolla-pod.tls" .) }}
CSRF_COOKIE_SECURE = True
SESSION_COOKIE_SECURE = True
{{- end }}

OPENSTACK_KEYSTONE_URL = '{{ include "kolla-pod.identityUrl" . }}'
{{- if include "kolla-pod.tls" . }}
OPENSTACK_SSL_CACERT = '{{ include "kolla-pod.tlsCa" . }}'
{{- end }}
OPENSTACK_KEYSTONE_DEFAULT_ROLE = {{ .Values.settings.defaultRole | quote }}
OPENSTACK_KEYSTONE_MULTIDOMAIN_SUPPORT = {{ ternary "True" "False" .Values.settings.multidomain }}
OPENSTACK_API_VERSIONS = {'identity': 3}
OPENSTACK_ENDPOINT_TYPE = 'internalURL'

# A browser may not reach Glance, so uploads go through the dashboard.
HORIZON_IMAGES_UPLOAD_MODE = 'legacy'
POLICY_FILES_PATH = '/etc/openstack-dashboard'
TIME_ZONE = {{ .Values.settings.timeZone | quote }}

# The image's own directory is read-only; horizon-start.sh fills this one before the dashboard starts.
STATIC_ROOT = '/var/lib/horizon/static'
COMPRESS_ROOT = STATIC_ROOT
COMPRESS_OFFLINE = True

LOGGING = {
    'version': 1,
    'disable_existing_loggers': False,
    'formatters': {
        'oslo': {
            'format': '%(asctime)s.%(msecs)03d %(process)d %(levelname)s %(name)s [-] %(message)s',
            'datefmt': '%Y-%m-%d %H:%M:%S',
        }
    },
    'handlers': {
        'file': {
            'class': 'logging.handlers.WatchedFileHandler',
            'filename': '/var/log/kolla/horizon/horizon.log',
            'formatter': 'oslo',
        }
    },
    'root': {'handlers': ['file'], 'level': 'INFO'},
}
