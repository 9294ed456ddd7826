/**
 * A real Ceph, for its clients an external cluster:
 *
 *   Debian's packages, unpacked -> keys -> ceph-mon -> ceph-mgr, without modules
 *     -> ceph-osd on a sparse file (BlueStore, no block device) -> `ceph status`: all are up
 *
 * It starts in seven seconds and takes 125 MB without its data. One server of each kind, so pools have one replica. All three run
 * as the test's user, tied to this process, with their data, keys and logs in a private directory.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { freePorts } from '../../tools/port.ts';
import { must, start, tailOf, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { keyringsOf, serverConfiguration } from './ceph-configuration.ts';
import { cephPrograms } from './ceph-programs.ts';

export interface CephOptions {
  /** The address that its servers listen on and that clients get; by default 127.0.0.1. */
  readonly address?: string;
  /** Wraps a command so that it is run where that address is, and ends with this process. Default: on this machine. */
  readonly place?: (command: string, args: readonly string[]) => [string, string[]];
  /** How much its pools can contain, in GiB; takes as much as they do. Default: 4. */
  readonly sizeGib?: number;
}

export interface Ceph extends AsyncDisposable {
  readonly fsid: string;
  /** A ceph.conf for clients: the cluster's id and its monitor, which tells the rest. */
  readonly confFile: string;
  /** The text of ceph.client.admin.keyring. */
  readonly adminKeyring: string;
  /** A directory for PATH, with `ceph` and `rbd`. */
  readonly bin: string;
  readonly pids: Readonly<Record<'mon' | 'mgr' | 'osd', number>>;
  /** Runs `ceph` as client.admin and returns its output: half a second of CPU time. */
  ceph(...args: readonly string[]): Promise<string>;
  /** Runs `rbd` as client.admin and returns its output. */
  rbd(...args: readonly string[]): Promise<string>;
  /** Resolves when the placement groups of all pools are active and clean. */
  clean(): Promise<void>;
}

/** The fields of `ceph status` that are read here. */
interface Status {
  readonly osdmap: { readonly num_up_osds: number };
  readonly mgrmap: { readonly available: boolean };
  readonly pgmap: {
    readonly bytes_total: number;
    readonly num_pgs: number;
    readonly pgs_by_state: readonly { readonly state_name: string; readonly count: number }[];
  };
}

/** Of the start only. */
const DEADLINE_MS = 180_000;

/** Starts a cluster without pools; resolves when its OSD is up and the mgr has seen it. */
export async function startCeph({ address = '127.0.0.1', place = tied, sizeGib = 4 }: CephOptions = {}): Promise<Ceph> {
  const programs = await cephPrograms();
  const { bin } = programs;
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await privateDirectory('ceph', await whereDirect()));
  const at = (name: string) => join(directory, name);
  const [fsid, osdId] = [randomUUID(), randomUUID()];
  const [v2, v1] = await freePorts(2);
  const monitor = `[v2:${address}:${v2},v1:${address}:${v1}]`;
  const keyrings = keyringsOf({
    'mon.': { mon: 'allow *' },
    'client.admin': { mon: 'allow *', mgr: 'allow *', osd: 'allow *' },
    'mgr.x': { mon: 'allow profile mgr', osd: 'allow *' },
    'osd.0': { mon: 'allow profile osd', mgr: 'allow profile osd', osd: 'allow *' },
  });
  const confFile = `[global]\nfsid = ${fsid}\nmon host = ${monitor}\n`;
  const options = { ...programs.options, 'bluestore block size': String(sizeGib * 1024 ** 3) };
  await writeFile(at('ceph.conf'), confFile + (await serverConfiguration(directory, address, options)));
  for (const name of ['mon', 'mgr', 'osd']) await mkdir(at(name));
  for (const [name, text] of Object.entries(keyrings)) await writeFile(at(`${name}.keyring`), text, { mode: 0o600 });
  await writeFile(at('all.keyring'), Object.values(keyrings).join(''), { mode: 0o600 });

  const ended = new AbortController();
  let signal = AbortSignal.any([ended.signal, AbortSignal.timeout(DEADLINE_MS)]);
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', CEPH_CONF: at('ceph.conf') };
  const once = async (program: string, ...args: string[]) => {
    // The reason of an abort says more than "aborted".
    return await must(...place(join(bin, program), args), { env, cwd: directory, signal }).catch((error: unknown) => {
      throw ended.signal.aborted ? ended.signal.reason : error;
    });
  };
  const daemon = async (kind: 'mon' | 'mgr' | 'osd', id: string) => {
    const logFile = at(`${kind}.out`);
    const line = place(join(bin, `ceph-${kind}`), ['--id', id, '--foreground']);
    const running = stack.use(await start(...line, { env, cwd: directory, logFile, throwAway: true }));
    void running.ended.then((code) => ended.abort(new Error(`ceph-${kind} exited with ${code}: ${tailOf(logFile)}`)));
    return running.pid;
  };

  await once('monmaptool', '--create', '--addv', 'a', monitor, '--fsid', fsid, 'monmap');
  await once('ceph-mon', '--mkfs', '--id', 'a', '--monmap', 'monmap', '--keyring', 'all.keyring');
  const mon = await daemon('mon', 'a');
  const mgr = await daemon('mgr', 'x');
  await once('ceph', 'osd', 'new', osdId, '0');
  await once('ceph', 'health', 'mute', 'MGR_MODULE_ERROR', '--sticky'); // that there are no modules
  await once('ceph-osd', '--mkfs', '--id', '0', '--osd-uuid', osdId);
  const osd = await daemon('osd', '0');

  const command =
    (program: string) =>
    (...args: readonly string[]) =>
      must(...place(join(bin, program), args), { env });
  const ceph = command('ceph');
  const status = async () => {
    ended.signal.throwIfAborted();
    return JSON.parse(await once('ceph', 'status', '--format', 'json')) as Status;
  };
  await until('Ceph to have its OSD up', async (saw) => {
    const { osdmap, mgrmap, pgmap } = await status();
    saw({ osdmap, mgrmap, pgmap });
    return (osdmap.num_up_osds === 1 && mgrmap.available && pgmap.bytes_total > 0) || undefined;
  });
  // What is asked of a running cluster ends with its servers, not with the time of its start.
  signal = ended.signal;
  const moved = stack.move();
  return {
    fsid,
    confFile,
    adminKeyring: keyrings['client.admin'] ?? '',
    bin,
    pids: { mon, mgr, osd },
    ceph,
    rbd: command('rbd'),
    clean: async () => {
      await until('all placement groups to be active and clean', async (saw) => {
        const pools = JSON.parse(await ceph('osd', 'pool', 'ls', 'detail', '--format', 'json')) as { pg_num: number }[];
        const wanted = pools.reduce((sum, pool) => sum + pool.pg_num, 0);
        const { pgmap } = await status();
        saw(pgmap);
        const { count } = pgmap.pgs_by_state.find(({ state_name: name }) => name === 'active+clean') ?? { count: 0 };
        return count === wanted || undefined;
      });
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Memory, if a file there can be opened as a BlueStore opens its own: Linux 6.6 and later. Otherwise a disk. */
async function whereDirect(): Promise<string> {
  const [memory, { O_CREAT, O_RDWR, O_DIRECT }] = [inMemory(), constants];
  const file = join(memory, `kp-direct-${randomUUID()}`);
  try {
    await (await open(file, O_CREAT | O_RDWR | O_DIRECT)).close();
    return memory;
  } catch {
    return tmpdir();
  } finally {
    await rm(file, { force: true });
  }
}
