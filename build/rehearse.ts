import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { copyCaCertificates } from '../src/container/start/index.ts';
import type { createLines, setConfigs } from '../src/config/set-configs/index.ts';
import type { Log } from '../src/core/log.ts';
import type { findProgram } from '../src/process/exec/index.ts';
import type { connectedQuestion } from '../src/probe/kolla/port.ts';
import type { runKolla } from '../src/probe/kolla/run.ts';

/** Additional exports of a bundle that is rehearsed. */
export interface Rehearsed {
  readonly setConfigs?: typeof setConfigs;
  readonly createLines?: typeof createLines;
  readonly copyCaCertificates?: typeof copyCaCertificates;
  readonly findProgram?: typeof findProgram;
  readonly questionIn?: typeof connectedQuestion;
  readonly runKolla?: typeof runKolla;
}

const CONFIG = 'var/lib/kolla/config_files';
const ENTRY = { source: `/${CONFIG}/a.conf`, dest: '/etc/a.conf', owner: 'me', perm: '0600' };
const DIRECTORY = { source: `/${CONFIG}/d`, dest: '/etc/d', owner: 'me', perm: '0600', merge: true };
const DOCUMENT = {
  command: 'run',
  config_files: [ENTRY, DIRECTORY, { ...ENTRY, source: `/${CONFIG}/*.ini`, dest: '/etc/', optional: true }],
  permissions: [{ path: '/etc/d', owner: 'me', perm: '0700', recurse: true }],
};

/** Does what the commands do at each start, unprivileged and in a temporary root, so that the code cache covers it. */
export async function rehearse(helper: Rehearsed): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'kp-rehearse-'));
  try {
    const { uid = 0, gid = 0 } = { uid: process.getuid?.(), gid: process.getgid?.() };
    fill(root, {
      'etc/passwd': `root:x:0:0::/:\nme:x:${uid}:${gid}::/:\n`,
      'etc/group': `me:x:${gid}:\n`,
      'etc/debian_version': '12',
      'etc/a.conf': "the image's own",
      [`${CONFIG}/a.conf`]: 'a',
      [`${CONFIG}/d/b.conf`]: 'b',
      [`${CONFIG}/config.json`]: JSON.stringify(DOCUMENT),
    });
    const { setConfigs, createLines } = helper;
    if (setConfigs && createLines)
      for (const check of [false, false, true])
        await setConfigs(
          { root, check, strategy: 'COPY_ALWAYS', maker: { uid, gid, umask: 0o022 } },
          createLines(() => {}),
        );
    const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log };
    const update = () => Promise.resolve(0);
    await helper.copyCaCertificates?.({ root, update, umask: 0o022, signal: new AbortController().signal, log });
    helper.findProgram?.('bash', '/usr/bin:/bin');
    await rehearseInProc(helper, join(root, 'proc'));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * Files of a fake /proc with one process that listens, is connected, and has a Unix socket, instead of the machine's.
 */
const PROC = {
  'net/tcp': [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 00000000:244C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1003 1 0 100 0 0 10 0',
    '   1: 0100007F:C350 0100007F:1628 01 00000000:00000000 00:00000000 00000000     0        0 1001 1 0 100 0 0 10 0',
    '',
  ].join('\n'),
  'net/tcp6': '',
  'net/udp': '',
  'net/udp6': '',
  'net/unix':
    'Num RefCount Protocol Flags Type St Inode Path\n0: 00000002 00000000 00010000 0001 01 1002 /run/s.sock\n',
  '7/cmdline': '/usr/bin/python3\0/usr/bin/nova-compute\0',
  '7/comm': 'nova-compute\n',
  '7/status': 'Name:\tnova-compute\nUid:\t0\t0\t0\t0\n',
};

/** A timeout that no slow build exceeds: it would compile the timeout path, and the cache would differ. */
const PATIENT = { KOLLA_PROBE_TIMEOUT: '1h' };

async function rehearseInProc({ questionIn, runKolla }: Rehearsed, proc: string): Promise<void> {
  if (questionIn === undefined || runKolla === undefined) return;
  fill(proc, PROC);
  mkdirSync(join(proc, '7/fd'));
  for (const inode of [1001, 1002, 1003]) symlinkSync(`socket:[${inode}]`, join(proc, '7/fd', String(inode)));
  for (const what of ['5672', '9292', '/run/s.sock', '1', '/none'])
    await runKolla('healthcheck_port', (argv, env) => questionIn(argv, env, proc), ['nova-compute', what], PATIENT);
}

function fill(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
