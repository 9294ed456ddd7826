import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FormatName } from '../src/logship/formats/index.ts';
import { DOCUMENTED_LINES } from '../test/logship/documented-lines.ts';
import type { BulkSink } from '../test/support/bulk-sink.ts';
import { round, type Figure } from './figure.ts';
import { inTurns } from './log-ship-turns.ts';
import { ours, type Shipper, type Taken } from './log-shipper.ts';

const LINES = 200_000;
const ROUNDS = 3;
const LINES_PER_SECOND = 50;
/** Kolla's formats apart from oslo.log, with a file of each. */
const FILES: readonly (readonly [FormatName, string])[] = [
  ['uwsgi', 'keystone/keystone-uwsgi.log'],
  ['mariadb', 'mariadb/mariadb.log'],
  ['rabbitmq', 'rabbitmq/rabbit@controller.log'],
  ['haproxy', 'haproxy/haproxy.log'],
  ['apache-access', 'horizon/horizon-access.log'],
  ['apache-error', 'horizon/horizon-error.log'],
  ['openvswitch', 'openvswitch/ovs-vswitchd.log'],
  ['libvirt', 'libvirt/libvirtd.log'],
  ['valkey', 'valkey/valkey.log'],
  ['skyline', 'skyline/skyline.log'],
  ['syslog', 'syslog/keepalived.log'],
];

/** Parsed lines per second of CPU time, startup included, of this build and an earlier one. */
export async function formatFigures(root: string, sink: BulkSink, peer: Shipper): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [format, name] of FILES) {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, linesOf(format));
    const work = { root, files: [file], documents: 'parsed', lines: LINES } as const;
    const shippers = [ours, peer].map((shipper) => ({ shipper, rounds: ROUNDS }));
    const [our = [], its = []] = await inTurns(sink, work, shippers);
    const what = `${format}, parsed: lines per CPU second`;
    figures.push({ what, unit: 'thousand', ours: rateOf(our), peer: rateOf(its) });
  }
  return figures;
}

function rateOf(runs: readonly Taken[]): number {
  return round(LINES / Math.min(...runs.map(({ cpuS }) => cpuS)) / 1000, 0);
}

/** The documented line of a format, repeated with increasing times. */
function linesOf(format: FormatName): string {
  const line = DOCUMENTED_LINES[format][0]!;
  const two = (value: number) => String(value).padStart(2, '0');
  const parts = line.split('15:42');
  let text = '';
  for (let nth = 0; nth < LINES; nth++) {
    const second = Math.floor(nth / LINES_PER_SECOND) % 3600;
    text += `${parts.join(`${two(Math.floor(second / 60))}:${two(second % 60)}`)}\n`;
  }
  return text;
}
