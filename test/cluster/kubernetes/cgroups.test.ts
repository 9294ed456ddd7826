import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hierarchiesOf } from './cgroups.ts';

test('both versions of cgroup hierarchies are found among the mounts', () => {
  const mountinfo = [
    '23 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
    '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory',
    '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
    '',
  ].join('\n');
  assert.deepEqual(hierarchiesOf(mountinfo), [
    { mount: '/sys/fs/cgroup/memory', version: 1 },
    { mount: '/sys/fs/cgroup/unified', version: 2 },
  ]);
});
