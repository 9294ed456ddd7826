import { logLines } from '../../support/log-lines.ts';
import { randomFrom } from '../../support/random.ts';
import { DOCUMENTED_LINES } from '../documented-lines.ts';

/** The lines of a file, which are the same in every run. */
function ofFormat(lines: readonly string[], count: number, seed: number): string {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, nth) => {
    const line = lines[Math.floor(random() * lines.length)]!;
    const more = random() < 0.1 ? `\r\n  more of ${nth}` : '';
    // What follows a quoted request is not part of it.
    const numbered = line.endsWith('"') ? `${line.slice(0, -1)} #${nth}"` : `${line} #${nth}`;
    return `${numbered}${more}\n`;
  }).join('');
}

const { oslo, rabbitmq, mariadb, uwsgi, haproxy } = DOCUMENTED_LINES;

/**
 * Log files by their path in the root, each in two parts: before and after the checkpoint that a former build has left. The first part
 * ends with complete events.
 */
export const LOGS: Readonly<Record<string, readonly [Buffer, Buffer]>> = Object.fromEntries(
  Object.entries({
    'nova/nova-api.log': [...logLines({ events: 120, seed: 3, workers: 4, tracebackEvery: 9 })].join(''),
    'nova/nova-compute.log': `${ofFormat(oslo, 60, 5)}not \xff UTF-8\n`,
    'rabbitmq/rabbit@c1.log': ofFormat(rabbitmq, 40, 7),
    'mariadb/mariadb.log': ofFormat(mariadb, 40, 9),
    'keystone/keystone-uwsgi.log': ofFormat(uwsgi, 40, 11),
    'haproxy/haproxy.log': ofFormat(haproxy, 40, 13),
    'app/own.log': ofFormat(['2026-11-20 08:15:42 dated é'], 40, 15),
  }).map(([path, text]) => {
    const bytes = Buffer.from(text, path.endsWith('compute.log') ? 'latin1' : 'utf8');
    return [path, halves(bytes)];
  }),
);

/** Divided before a line that begins an event, near the middle. */
function halves(bytes: Buffer): readonly [Buffer, Buffer] {
  let at = bytes.indexOf('\n', bytes.length >> 1) + 1;
  while (!/^[2[<]/.test(bytes.toString('latin1', at, at + 1))) at = bytes.indexOf('\n', at) + 1;
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

/** Arguments with which documents depend on the lines only. */
export const SHIP = [
  '--once',
  '--timezone',
  'Europe/Berlin',
  '--hostname',
  'c1',
  '--source-id',
  'a-pod',
  '--schema',
  'kolla',
];

/** A root at the same path for every run, visible to one program only: a document's ID depends on it. */
export const AT_ROOT = `
mount -t tmpfs tmpfs /var/log
mkdir /var/log/kolla
mount --bind "$1" /var/log/kolla
shift
exec "$@"`;
