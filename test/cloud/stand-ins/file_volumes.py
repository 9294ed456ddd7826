"""A Cinder backend without a kernel or a storage cluster: a volume is a sparse file.

Only Nova's fake driver can attach it.

    [file]
    volume_driver = file_volumes.FileDriver
    file_volumes_path = /var/lib/cinder/volumes
"""

import os
import shutil

from cinder import interface
from cinder.volume import configuration, driver
from oslo_config import cfg

OPTIONS = [
    cfg.StrOpt('file_volumes_path', default='/var/lib/cinder/volumes', help='Directory of the volumes.'),
]
cfg.CONF.register_opts(OPTIONS, group=configuration.SHARED_CONF_GROUP)


@interface.volumedriver
class FileDriver(driver.VolumeDriver):
    VERSION = '1.0.0'
    CI_WIKI_NAME = 'none'

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.configuration.append_config_values(OPTIONS)
        self.directory = self.configuration.file_volumes_path

    def _path(self, record):
        return os.path.join(self.directory, record['name'])

    def check_for_setup_error(self):
        if not os.access(self.directory, os.W_OK):
            raise OSError(f'{self.directory} is not writable')

    def create_volume(self, volume):
        with open(self._path(volume), 'wb') as file:
            file.truncate(volume['size'] << 30)

    def delete_volume(self, volume):
        if os.path.exists(self._path(volume)):
            os.unlink(self._path(volume))

    delete_snapshot = delete_volume

    def extend_volume(self, volume, new_size):
        os.truncate(self._path(volume), new_size << 30)

    def create_snapshot(self, snapshot):
        shutil.copyfile(self._path(snapshot['volume']), self._path(snapshot))

    def create_volume_from_snapshot(self, volume, snapshot):
        shutil.copyfile(self._path(snapshot), self._path(volume))
        os.truncate(self._path(volume), volume['size'] << 30)

    def create_cloned_volume(self, volume, src_vref):
        self.create_volume_from_snapshot(volume, src_vref)

    def copy_image_to_volume(self, context, volume, image_service, image_id, disable_sparse=False):
        with open(self._path(volume), 'r+b') as file:
            image_service.download(context, image_id, file)

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        with open(self._path(volume), 'rb') as file:
            image_service.update(context, image_meta['id'], {}, file)

    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector):
        return {'driver_volume_type': 'local', 'data': {'device_path': self._path(volume)}}

    def terminate_connection(self, volume, connector, **kwargs):
        pass

    def _update_volume_stats(self):
        disk = shutil.disk_usage(self.directory)
        self._stats = {
            'volume_backend_name': self.configuration.safe_get('volume_backend_name') or 'file',
            'vendor_name': 'none',
            'driver_version': self.VERSION,
            'storage_protocol': 'file',
            'total_capacity_gb': disk.total >> 30,
            'free_capacity_gb': disk.free >> 30,
            'reserved_percentage': 0,
            'thin_provisioning_support': True,
            'max_over_subscription_ratio': 100,
            'multiattach': False,
            'QoS_support': False,
        }
