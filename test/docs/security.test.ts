import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly args?: readonly object[];
}

interface Profile {
  readonly defaultAction: string;
  readonly architectures: readonly string[];
  readonly syscalls: readonly Rule[];
}

const text = await readFile(new URL('../../k8s/security/seccomp-helpers.json', import.meta.url), 'utf8');
const profile = JSON.parse(text) as Profile;
const named = profile.syscalls.flatMap(({ names }) => names);

/** System calls that create namespaces, mount, trace, load into the kernel, or change credentials. */
const NEVER =
  `add_key bpf chroot clone3 delete_module finit_module fsconfig fsopen init_module io_uring_setup kcmp kexec_load keyctl mknod
  mknodat mount mount_setattr move_mount name_to_handle_at open_by_handle_at open_tree perf_event_open pivot_root process_vm_readv
  process_vm_writev ptrace quotactl reboot request_key setdomainname setgid setgroups sethostname setns setresgid setresuid setuid
  settimeofday swapon syslog umount2 unshare userfaultfd vhangup`.split(/\s+/);

test('the seccomp profile is an allow list without dangerous system calls', () => {
  assert.equal(profile.defaultAction, 'SCMP_ACT_ERRNO');
  assert.deepEqual(
    NEVER.filter((name) => named.includes(name)),
    [],
  );
  assert.ok(named.includes('read') && named.includes('execve'), 'it allows every call that all programs need');
  assert.ok(profile.syscalls.every(({ action }) => action === 'SCMP_ACT_ALLOW'));
});

test('each call is allowed once, except sockets, with a row per family; a new process gets no new namespace', () => {
  const twice = named.filter((name, i) => named.indexOf(name) !== i);
  assert.deepEqual([...new Set(twice)], ['socket']);
  for (const { names, args } of profile.syscalls)
    assert.equal(args !== undefined, names.includes('socket') || names.includes('clone'), names[0]);
});

test('the seccomp profile has both architectures of the binary', () => {
  assert.deepEqual(profile.architectures, ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64']);
});
