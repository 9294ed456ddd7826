import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerIn } from '../../src/kube/own-place.ts';

test("the kubelet's mounts identify our container", () => {
  const mountinfo = [
    '1234 1200 0:50 / /proc rw,nosuid - proc proc rw',
    '1235 1200 254:1 /var/lib/kubelet/pods/0b1c-2d/etc-hosts /etc/hosts rw - ext4 /dev/vda1 rw',
    '1236 1200 254:1 /var/lib/kubelet/pods/0b1c-2d/containers/init/5f3a9c1e /dev/termination-log rw - ext4 /dev/vda1 rw',
  ].join('\n');
  assert.deepEqual(containerIn(mountinfo), { podUid: '0b1c-2d', name: 'init' });
});

test('without a kubelet, no mount identifies the container', () => {
  assert.equal(containerIn('1234 1200 0:50 / /proc rw,nosuid - proc proc rw\n'), undefined);
});
