import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endsWithPod } from '../../../src/logship/reclaim/index.ts';

const pods = '/var/lib/kubelet/pods/0b5c/volumes';
const mountinfo = `22 1 254:0 / / rw,relatime - overlay overlay rw
36 22 254:1 ${pods}/kubernetes.io~empty-dir/logs /var/log/kolla rw,relatime master:1 - ext4 /dev/vda rw
37 22 0:44 / /var/log/memory rw,relatime - tmpfs tmpfs rw,size=65536k
38 22 254:1 /srv/logs /var/log/node rw - ext4 /dev/vda rw
39 22 254:1 /pods/0b5c/volumes/kubernetes.io~empty-dir/my\\040logs /var/my\\040logs rw - xfs /dev/vdb rw
40 22 254:1 /srv/hidden /over rw - ext4 /dev/vda rw
41 22 254:1 ${pods}/kubernetes.io~empty-dir/top /over rw - ext4 /dev/vda rw
`;

for (const [directory, why] of [
  ['/var/log/kolla', 'an emptyDir'],
  ['/var/log/kolla/keystone', 'an emptyDir'],
  ['/var/log/memory', 'in memory'],
  ['/var/log/node', undefined],
  ['/var/log', undefined],
  ['/var/log/kolla-2', undefined],
  ['/var/my logs', 'an emptyDir'],
  ['/over', 'an emptyDir'],
] as const) {
  test(`${directory} ${why === undefined ? 'outlives its pod' : `ends with its pod: ${why}`}`, () => {
    assert.equal(endsWithPod(directory, mountinfo), why);
  });
}

test('without mountinfo no volume is known to be ephemeral', () =>
  assert.equal(endsWithPod('/var/log/kolla', ''), undefined));
