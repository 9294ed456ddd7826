import { startMariadb, type Mariadb } from '../test/cluster/mariadb.ts';
import { keystoneSite } from '../test/integration/kolla-db-sync-keystone-support.ts';
import { must, run } from '../tools/process.ts';
import type { Sample } from './bench.ts';
import { DB_SYNC } from './db-sync-binary.ts';

/** One run, and its connections on the server. */
export interface Turn extends Sample {
  readonly connections: number;
}

/** A command line to run, with the output that it must have. */
interface Program {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly says?: RegExp;
}

const RELEASE = ['--release', '2026.1'];
const NOTHING_TO_DO = /nothing to do/;
/**
 * User, system and wall time in seconds on stderr, everything else on stdout. With a socket as stdin, bash would read
 * its rc file.
 */
const TIMED = `TIMEFORMAT='%3U %3S %3R'; { time "$@" >&3 2>&3; } 3>&1`;

/**
 * Alternating runs on a Keystone whose schema is at head: ours, ours with an admin account, and its own db_sync.
 * @throws Error if one of them fails, or ours had something to do
 */
export async function upToDate(rounds: number): Promise<{ ours: Turn[]; admin: Turn[]; peer: Turn[] }> {
  await using mariadb = await startMariadb();
  await using site = await keystoneSite(mariadb);
  const words = [DB_SYNC, 'keystone', ...RELEASE];
  await must(DB_SYNC, words.slice(1), { env: site.adminEnv });
  const programs = {
    ours: { words, env: site.env, says: NOTHING_TO_DO },
    admin: { words, env: site.adminEnv, says: NOTHING_TO_DO },
    peer: { words: ['keystone-manage', 'db_sync'], env: site.env },
  };
  const turns: Record<keyof typeof programs, Turn[]> = { ours: [], admin: [], peer: [] };
  for (let round = 0; round < rounds; round++)
    for (const who of ['ours', 'admin', 'peer'] as const) turns[who].push(await turnOf(programs[who], mariadb));
  return turns;
}

async function turnOf({ words, env, says }: Program, mariadb: Mariadb): Promise<Turn> {
  const before = await connectionsTo(mariadb);
  const { code, stdout, stderr } = await run('bash', ['--norc', '-c', TIMED, 'bash', ...words], { env });
  // The counting connection itself is included.
  const connections = (await connectionsTo(mariadb)) - before - 1;
  if (code !== 0 || says?.test(stdout) === false)
    throw new Error(`${words.join(' ')} ended with ${code}: ${stdout.slice(-2000)}`);
  const [user = NaN, system = NaN, real = NaN] = stderr.trim().split(' ').map(Number);
  return { cpuMs: (user + system) * 1000, wallMs: real * 1000, connections };
}

/** Number of connections since the server's start. */
async function connectionsTo(mariadb: Mariadb): Promise<number> {
  const [row] = await mariadb.query("SHOW GLOBAL STATUS LIKE 'Connections'");
  return Number(row?.['Value']);
}
