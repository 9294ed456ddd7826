"""Calls Glance's store as glance-api does, with the /etc/glance/glance-api.conf of a Pod."""
import hashlib
import io

import ceph_calls
from glance.common import config
from glance.common import wsgi
import glance_store
from glance_store import multi_backend
from oslo_config import cfg

CONF = cfg.CONF


def upload(image_id, text, size):
    """An image that begins with a text; its location, size and checksum."""
    data = text.encode().ljust(size, b'\0')
    location, length, _, digest, metadata = multi_backend.add_with_multihash(
        CONF, image_id, io.BytesIO(data), size, CONF.glance_store.default_backend, 'sha512')
    assert digest == hashlib.sha512(data).hexdigest(), digest
    return {'location': location, 'size': length, 'store': metadata['store']}


def download(location, characters):
    chunks, size = glance_store.get(location, CONF.glance_store.default_backend)
    data = b''.join(chunks)
    return {'size': len(data), 'stated': size, 'begin': data[:characters].decode()}


def delete(location):
    """None, or why not."""
    try:
        glance_store.delete(location, CONF.glance_store.default_backend)
    except glance_store.exceptions.InUseByStore as error:
        return type(error).__name__
    return None


config.parse_args(['--config-file', '/etc/glance/glance-api.conf'])
glance_store.register_store_opts(CONF, reserved_stores=wsgi.RESERVED_STORES)
glance_store.create_multi_stores(CONF, reserved_stores=wsgi.RESERVED_STORES)
glance_store.verify_store()
assert CONF.show_image_direct_url
ceph_calls.make(upload, download, delete)
