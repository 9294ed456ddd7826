import type { TarEntry } from '../../tools/tar.ts';

/** Kolla's base image creates all services' users in every image; uid and gid are equal. */
export const KOLLA_USERS: Readonly<Record<string, number>> = {
  kolla: 42_400,
  ansible: 42_401,
  cinder: 42_407,
  glance: 42_415,
  heat: 42_418,
  horizon: 42_420,
  keystone: 42_425,
  qemu: 42_427,
  mysql: 42_434,
  neutron: 42_435,
  nova: 42_436,
  rabbitmq: 42_439,
  haproxy: 42_454,
  memcached: 42_457,
  libvirt: 42_473,
  openvswitch: 42_476,
  hugetlbfs: 42_477,
  placement: 42_482,
};

/** The user that Debian's package of libvirt adds: libvirtd does not start without it, whatever user its guests have. */
const DEBIANS_LIBVIRT = { name: 'libvirt-qemu', id: 64_055 } as const;

export const KOLLA_GID = 42_400;
export const KEYSTONE_UID = 42_425;
export const PLACEMENT_UID = 42_482;

/** The files and directories of Kolla's base and keystone images above Debian's, with their owners. */
export function kollaEntries(users: Readonly<Record<string, number>>): TarEntry[] {
  const keystone = { uid: KEYSTONE_UID, gid: KEYSTONE_UID };
  return [
    { name: 'etc/passwd', mode: 0o644, content: passwd(users) },
    { name: 'etc/group', mode: 0o644, content: group(users) },
    {
      name: 'etc/nsswitch.conf',
      mode: 0o644,
      content: 'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n',
    },
    { name: 'etc/keystone/', mode: 0o755, ...keystone },
    { name: 'run/', mode: 0o755 },
    { name: 'tmp/', mode: 0o1777 },
    { name: 'var/lib/keystone/', mode: 0o755, ...keystone },
    { name: 'var/lib/kolla/', mode: 0o755 },
    { name: 'var/lib/kolla/config_files/', mode: 0o755 },
    { name: 'var/log/kolla/', mode: 0o2775, gid: KOLLA_GID },
    { name: 'var/tmp/', mode: 0o1777 },
  ];
}

function passwd(users: Readonly<Record<string, number>>): string {
  return [
    'root:x:0:0:root:/root:/bin/bash',
    ...Object.entries(users).map(([name, id]) => `${name}:x:${id}:${id}::/var/lib/${name}:/usr/sbin/nologin`),
    `${DEBIANS_LIBVIRT.name}:x:${DEBIANS_LIBVIRT.id}:${DEBIANS_LIBVIRT.id}::/var/lib/libvirt:/usr/sbin/nologin`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
    '',
  ].join('\n');
}

/** Each service's user is in the group kolla, which owns the log directory, and nova in the emulator's. */
function group(users: Readonly<Record<string, number>>): string {
  const members = Object.keys(users).filter((name) => name !== 'kolla');
  const inGroup: Readonly<Record<string, readonly string[]>> = { kolla: members, qemu: ['nova'] };
  return [
    'root:x:0:',
    'tty:x:5:',
    'kvm:x:104:',
    ...Object.entries(users).map(([name, id]) => `${name}:x:${id}:${inGroup[name]?.join(',') ?? ''}`),
    `${DEBIANS_LIBVIRT.name}:x:${DEBIANS_LIBVIRT.id}:`,
    'nogroup:x:65534:',
    '',
  ].join('\n');
}
