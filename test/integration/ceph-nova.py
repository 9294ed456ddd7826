"""Calls Nova's code for RBD as nova-compute does, with the /etc/nova/nova.conf of a Pod."""

import ceph_calls
from nova import config
import nova.conf
from nova.storage import rbd_utils

CONF = nova.conf.CONF


def options():
    libvirt = CONF.libvirt
    return {name: libvirt[name] for name in ('images_type', 'rbd_user', 'rbd_secret_uuid', 'disk_cachemodes')}


def monitors():
    """What libvirt gets for each disk, by the program ceph."""
    hosts, ports = driver.get_mon_addrs()
    return [f'{host}:{port}' for host, port in zip(hosts, ports)]


def free():
    return driver.get_pool_info()['free'] > 0


def clone(location, name):
    """A disk that is a clone of Glance's image; false if it can't be one."""
    if not driver.is_cloneable({'url': location}, {'id': 'i', 'disk_format': 'raw'}):
        return False
    driver.clone({'url': location}, name)
    driver.resize(name, 1024 ** 3)
    return driver.exists(name)


def import_file(name):
    """A disk with the content of a file in the cache of images, by the program rbd."""
    file = f'{CONF.state_path}/{name}'
    with open(file, 'wb') as made:
        made.truncate(1024 ** 2)
    driver.import_image(file, name)
    return driver.size(name)


def destroy(prefix):
    driver.cleanup_volumes(lambda name: name.startswith(prefix))


config.parse_args(['nova-compute', '--config-file', '/etc/nova/nova.conf'])
driver = rbd_utils.RBDDriver()
ceph_calls.make(options, monitors, free, clone, import_file, destroy)
