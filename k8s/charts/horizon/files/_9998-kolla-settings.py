import base64
import hashlib
import pickle
{{- if include "kolla-pod.tls" . }}
import ssl
{{- end }}

from cryptography.fernet import Fernet, InvalidToken

DEBUG = False
WEBROOT = '/'
ALLOWED_HOSTS = [{{ range $i, $host := .Values.settings.allowedHosts }}{{ if $i }}, {{ end }}{{ $host | quote }}{{ end }}]
SECRET_KEY = "{{ include "kolla-pod.password" (list . "horizon_secret_key" "quoted") }}"



class SealedSerde:
    # Sessions contain tokens and objects of Python, so they are pickles; memcached has no login. A value is encrypted and signed
    # with its key, and one that the dashboard has not stored under that key itself counts as missing, without being unpickled.
    def __init__(self, secret):
        digest = hashlib.sha256(b'memcached\0' + secret.encode()).digest()
        self._fernet = Fernet(base64.urlsafe_b64encode(digest))

    def serialize(self, key, value):
        return self._fernet.encrypt(self._name(key) + b'\0' + pickle.dumps(value)), 0

    def deserialize(self, key, value, flags):
        try:
            name, _, pickled = self._fernet.decrypt(value).partition(b'\0')
        except InvalidToken:
            return None
        return pickle.loads(pickled) if name == self._name(key) else None

    @staticmethod
    def _name(key):
        return key.encode() if isinstance(key, str) else key


SESSION_ENGINE = 'django.contrib.sessions.backends.cache'
CACHES = {
    'default': {
        'BACKEND': 'django.core.cache.backends.memcached.PyMemcacheCache',
        'LOCATION': [{{ range $i, $server := include "kolla-pod.memcachedServers" . | splitList "," }}{{ if $i }}, {{ end }}{{ trim $server | quote }}{{ end }}],
        'OPTIONS': {'serde': SealedSerde(SECRET_KEY), 'ignore_exc': True{{ if include "kolla-pod.tls" . }}, 'tls_context': ssl.create_default_context(cafile='{{ include "kolla-pod.tlsCa" . }}'){{ end }}},
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
