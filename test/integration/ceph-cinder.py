"""Calls Cinder's drivers as cinder-volume and cinder-backup do, with the /etc/cinder/cinder.conf of a Pod and a database."""

import ceph_calls
from cinder import context
from cinder import db
from cinder import objects

objects.register_all()  # before the imports that use its classes

from cinder.backup import manager as backup_manager
from cinder.common import config  # noqa: F401 registers options
from cinder.volume import configuration
from cinder.volume import manager as volume_manager
from cinder.volume import volume_types
from cinder.volume import volume_utils
from eventlet import tpool
from oslo_config import cfg
from oslo_utils import importutils

CONF = cfg.CONF
OWNER = {'project_id': 'p', 'user_id': 'u'}
HOST = 'cinder-volume-0@ceph'


class Images:
    """Glance, whose only image is a file."""

    temp_images = None  # where Cinder keeps its own

    def __init__(self, file):
        self.file = file

    def show(self, _context, image_id):
        return {'id': image_id, 'disk_format': 'qcow2', 'container_format': 'bare', 'size': 1}

    def download(self, _context, _image_id, data=None, store_id=None):
        with open(self.file, 'rb') as file:
            data.write(file.read())


def new_volume():
    type_id = volume_types.get_default_volume_type()['id']
    volume = objects.Volume(ctx, size=1, host=HOST, status='available', volume_type_id=type_id, **OWNER)
    volume.create()
    return volume


def volume_of(volume_id):
    return objects.Volume.get_by_id(ctx, volume_id)


def snapshot_of(snapshot_id):
    return objects.Snapshot.get_by_id(ctx, snapshot_id)


def stats():
    found = driver.get_volume_stats(refresh=True)
    return {name: found[name] for name in ('backend_state', 'volume_backend_name', 'free_capacity_gb')}


def create():
    volume = new_volume()
    driver.create_volume(volume)
    return volume.id


def create_from_image(location):
    """A volume that is a clone of Glance's image; None if it can't be one."""
    volume = new_volume()
    _, is_cloned = driver.clone_image(ctx, volume, (location, None), {'id': 'i', 'disk_format': 'raw'}, None)
    return volume.id if is_cloned else None


def create_from_file(file):
    """A volume with the content of an image that must be converted."""
    volume = new_volume()
    driver.create_volume(volume)
    driver.copy_image_to_volume(ctx, volume, Images(file), 'i')
    return volume.id


def create_from_snapshot(snapshot_id):
    volume = new_volume()
    driver.create_volume_from_snapshot(volume, snapshot_of(snapshot_id))
    return volume.id


def create_from_volume(volume_id):
    volume = new_volume()
    driver.create_cloned_volume(volume, volume_of(volume_id))
    return volume.id


def extend(volume_id, size):
    driver.extend_volume(volume_of(volume_id), size)


def delete(volume_id):
    driver.delete_volume(volume_of(volume_id))


def snapshot(volume_id):
    type_id = volume_of(volume_id).volume_type_id
    made = objects.Snapshot(ctx, volume_id=volume_id, volume_size=1, status='available', volume_type_id=type_id, **OWNER)
    made.create()
    driver.create_snapshot(made)
    return made.id


def delete_snapshot(snapshot_id):
    driver.delete_snapshot(snapshot_of(snapshot_id))


def connected(volume, use):
    """Calls a function with the volume as a file, by os-brick."""
    properties = volume_utils.brick_get_connector_properties(
        CONF.use_multipath_for_image_xfer, enforce_multipath=False)
    connection = driver.initialize_connection(volume, properties)
    attached = backup_manager.BackupManager._connect_device(None, connection)
    file = attached['device']['path']
    try:
        return use(file)
    finally:
        attached['connector'].disconnect_volume(connection['data'], attached['device'])


def write(volume_id, offset, text):
    def at_offset(file):
        file.seek(offset)
        file.write(text.encode())
        file.flush()

    connected(volume_of(volume_id), at_offset)


def read(volume_id, offset, length):
    def at_offset(file):
        file.seek(offset)
        return file.read(length).decode()

    return connected(volume_of(volume_id), at_offset)


def backup_service():
    service = importutils.import_class(CONF.backup_driver)(ctx)
    service.check_for_setup_error()
    return service


def backup(volume_id, parent_id):
    made = objects.Backup(
        ctx, volume_id=volume_id, parent_id=parent_id, size=1, status='creating', service=CONF.backup_driver,
        host='cinder-backup-0', **OWNER)
    made.create()
    service = backup_service()
    updates = connected(volume_of(volume_id), lambda file: service.backup(made, tpool.Proxy(file)))
    made.update({**(updates or {}), 'status': 'available'})
    made.save()
    return made.id


def restore(backup_id):
    """A new volume with the content of a backup."""
    made = objects.Backup.get_by_id(ctx, backup_id)
    volume = new_volume()
    driver.create_volume(volume)
    service = backup_service()
    connected(volume, lambda file: service.restore(made, volume.id, tpool.Proxy(file), True))
    return volume.id


def delete_backup(backup_id):
    made = objects.Backup.get_by_id(ctx, backup_id)
    backup_service().delete_backup(made)
    made.destroy()


CONF(['--config-file', '/etc/cinder/cinder.conf'], project='cinder')
ctx = context.RequestContext('u', 'p', is_admin=True)
backend, = CONF.enabled_backends
options = configuration.Configuration(volume_manager.volume_backend_opts, config_group=backend)
driver = importutils.import_object(options.volume_driver, configuration=options, db=db, host=HOST)
driver.do_setup(ctx)
driver.check_for_setup_error()
driver.set_initialized()
ceph_calls.make(
    stats, create, create_from_image, create_from_file, create_from_snapshot, create_from_volume, extend, delete, snapshot,
    delete_snapshot, write, read, backup, restore, delete_backup)
