import assert from 'node:assert/strict';
import { temporary, type Operation } from './operation.ts';

const MEBIBYTES = 16;

export const imageData: Operation = {
  title: 'image uploaded, and downloaded with the same checksum',
  async run({ client }) {
    await client.exec('dd', 'if=/dev/urandom', 'of=/tmp/up', 'bs=1M', `count=${MEBIBYTES}`, 'status=none');
    await using image = await temporary(client, 'image', 'data', '--disk-format', 'raw', '--file', '/tmp/up');
    await client.openstack('image', 'save', '--file', '/tmp/down', image.id);
    const [up, down] = (await client.exec('sha512sum', '/tmp/up', '/tmp/down'))
      .split('\n')
      .map((line) => line.split(' ')[0]);
    const stored = await client.get<ImageState>('glance', `/images/${image.id}`);
    assert.deepEqual([down, stored?.os_hash_value, stored?.os_hash_algo], [up, up, 'sha512']);
    await client.exec('rm', '/tmp/up', '/tmp/down');
    return `${MEBIBYTES} MiB`;
  },
};

interface ImageState {
  readonly os_hash_algo: string;
  readonly os_hash_value: string;
}
