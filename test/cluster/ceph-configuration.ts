/** What a Ceph of tests starts with: keys, options and ports. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePorts } from '../../tools/port.ts';

/** Options of a cluster with one OSD on a small file. */
const SERVER = {
  'auth allow insecure global id reclaim': 'false',
  'mon allow pool size one': 'true',
  'mon warn on pool no redundancy': 'false',
  'mon data avail warn': '1',
  'mon data avail crit': '1',
  'mon cluster log to file': 'false',
  // Waiting for further changes before each commit would take most of the time of a start.
  'paxos propose interval': '0.05',
  // How often statistics reach the mgr, and so `ceph status`: seconds; by default 5.
  'mgr stats period': '1',
  'osd pool default size': '1',
  'osd pool default min size': '1',
  'osd pool default pg num': '8',
  'osd pool default pg autoscale mode': 'off',
  'osd crush chooseleaf type': '0',
  'osd objectstore': 'bluestore',
  'bluestore block create': 'true',
  // Fixed, because the target of an adapting cache is at least 900 MB.
  'bluestore cache autotune': 'false',
  'bluestore cache size': String(32 * 1024 ** 2),
  'ms async op threads': '1',
  'log max recent': '100',
} as const;

/** The configuration of all servers of a cluster. */
export async function serverConfiguration(
  directory: string,
  address: string,
  more: Readonly<Record<string, string>>,
): Promise<string> {
  const places = {
    'run dir': directory,
    'admin socket': join(directory, '$name.asok'),
    'log file': join(directory, '$name.log'),
    'crash dir': directory,
    keyring: join(directory, '$name.keyring'),
    'mon data': join(directory, 'mon'),
    'mgr data': join(directory, 'mgr'),
    'osd data': join(directory, 'osd'),
  };
  const [first, last] = await portRange();
  const servers = ['ms bind msgr1 = false', `ms bind port min = ${first}`, `ms bind port max = ${last}`];
  const lines = Object.entries({ ...SERVER, ...places, 'public addr': address, ...more }).map(
    ([name, value]) => `${name} = ${value}`,
  );
  return [...lines, '[mgr]', ...servers, '[osd]', ...servers, ''].join('\n');
}

/** Public, cluster and two heartbeat ports of the OSD, and the port of the mgr. */
const SERVER_PORTS = 5;
const TRIES = 20;

/** Ports without a gap, because an option states only the first and the last. */
async function portRange(): Promise<[first: number, last: number]> {
  for (let tries = 0; tries < TRIES; tries++) {
    const ports = (await freePorts(SERVER_PORTS)).toSorted((a, b) => a - b);
    const [first = 0, last = 0] = [ports.at(0), ports.at(-1)];
    if (last - first === SERVER_PORTS - 1) return [first, last];
  }
  throw new Error(`no ${SERVER_PORTS} consecutive free ports in ${TRIES} tries`);
}

/** Keyrings by their client or server, with new keys. */
export function keyringsOf<Name extends string>(
  capabilities: Readonly<Record<Name, Readonly<Record<string, string>>>>,
): Record<Name, string> {
  const texts = Object.entries<Readonly<Record<string, string>>>(capabilities).map(([name, caps]) => {
    const lines = Object.entries(caps).map(([server, allowed]) => `\tcaps ${server} = "${allowed}"\n`);
    return [name, `[${name}]\n\tkey = ${newKey()}\n${lines.join('')}`];
  });
  return Object.fromEntries(texts) as Record<Name, string>;
}

/** Type 1 (AES), creation time in seconds and nanoseconds, length and secret; little-endian. */
function newKey(): string {
  const head = Buffer.alloc(12);
  head.writeUInt16LE(1, 0);
  head.writeUInt32LE(Math.floor(Date.now() / 1000), 2);
  head.writeUInt16LE(16, 10);
  return Buffer.concat([head, randomBytes(16)]).toString('base64');
}
