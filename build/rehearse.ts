import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { copyCaCertificates } from '../src/start/index.ts';
import type { createLines, setConfigs } from '../src/config/set-configs/index.ts';
import type { Log } from '../src/cli/log.ts';
import type { findProgram } from '../src/platform/exec/index.ts';

/** What a bundle exports besides `main` where there is something to rehearse. */
export interface Rehearsed {
  readonly setConfigs?: typeof setConfigs;
  readonly createLines?: typeof createLines;
  readonly copyCaCertificates?: typeof copyCaCertificates;
  readonly findProgram?: typeof findProgram;
}

const CONFIG = 'var/lib/kolla/config_files';
const ENTRY = { source: `/${CONFIG}/a.conf`, dest: '/etc/a.conf', owner: 'me', perm: '0600' };
const FOLDER = { source: `/${CONFIG}/d`, dest: '/etc/d', owner: 'me', perm: '0600', merge: true };
const DOCUMENT = {
  command: 'run',
  config_files: [ENTRY, FOLDER, { ...ENTRY, source: `/${CONFIG}/*.ini`, dest: '/etc/', optional: true }],
  permissions: [{ path: '/etc/d', owner: 'me', perm: '0700', recurse: true }],
};

/** Carries out, in a root of its own and as whoever builds, what the names do at each start: so it is in the code cache. */
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
    await helper.copyCaCertificates?.({ root, update, signal: new AbortController().signal, log });
    helper.findProgram?.('bash', '/usr/bin:/bin');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function fill(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
