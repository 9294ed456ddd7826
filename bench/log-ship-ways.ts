/**
 * The cost of what is not the plain way, compared with an earlier build: `make bench NAME=log-ship-ways BEFORE=FILE`, where FILE is
 * its dist/bin/kolla-log-ship.
 *
 *   a million oslo.log lines, parsed -> the sink: plain, over TLS 1.3, with gzip, with both
 *   a million lines of which 60 % are of tracebacks; 100,000 lines that JavaScript takes one by one, since each ends in NUL
 */
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority } from '../test/cluster/authority.ts';
import { startBulkSink } from '../test/support/bulk-sink.ts';
import { logLines, TRACEBACK, writeLogLines } from '../test/support/log-lines.ts';
import { privateDirectory } from '../tools/directory.ts';
import type { FiguresBench } from './bench.ts';
import { round, type Figure } from './figure.ts';
import { inTurns, type Work } from './log-ship-turns.ts';
import { bothWith, canCompareBuilds, type Taken, type ShipperOptions } from './log-shipper.ts';

const LINES = 1_000_000;
/** One event in this many has a traceback, so that 60 % of the lines are of tracebacks. */
const TRACEBACK_EVERY = 4;
const EVENTS = Math.round(LINES / (1 + TRACEBACK.length / TRACEBACK_EVERY));
const ONE_BY_ONE = 100_000;
const ROUNDS = 3;
const REACH = { tlsRatio: 1.6, tracebacksS: 0.9 } as const;

export const logShipWays: FiguresBench = {
  kind: 'figures',
  name: 'log-ship-ways',
  title: 'kolla-log-ship: TLS, gzip, tracebacks, lines one by one',
  subject: 'this build',
  peer: 'the build on Node',
  capability: canCompareBuilds,
  async run(say) {
    await using logs = await privateDirectory('bench-logs');
    const authority = makeAuthority('bench');
    const tls = authority.issue({ commonName: 'sink', hosts: ['127.0.0.1'] });
    await using sink = await startBulkSink({ fast: true, tls });
    const root = logs.path;
    const caFile = join(root, 'ca.pem');
    writeFileSync(caFile, authority.certificate);
    const file = (name: string) => join(root, 'nova', `${name}.log`);
    await mkdir(join(root, 'nova'));
    writeLogLines(file('plain'), { events: LINES });
    writeLogLines(file('tracebacks'), { events: EVENTS, tracebackEvery: TRACEBACK_EVERY });
    writeFileSync(file('nul'), [...logLines({ events: ONE_BY_ONE })].join('').replaceAll('\n', '\0'));
    const secure: ShipperOptions = { url: `https://127.0.0.1:${sink.tlsPort}`, options: ['--ca-file', caFile] };
    const cpu = async (what: string, name: string, lines: number, more: ShipperOptions) => {
      say(what);
      const work: Work = { root, files: [file(name)], documents: 'parsed', lines };
      const runs = await inTurns(
        sink,
        work,
        bothWith(more).map((shipper) => ({ shipper, rounds: ROUNDS })),
      );
      return runs.map((taken: readonly Taken[]) => Math.min(...taken.map(({ cpuS }) => cpuS))) as [number, number];
    };
    const row = (what: string, [mine, its]: readonly [number, number], reach?: number): Figure => ({
      what,
      unit: 's',
      ours: round(mine, 2),
      peer: round(its, 2),
      ...(reach !== undefined && { reach }),
    });
    const plain = await cpu('plain', 'plain', LINES, { options: [] });
    const encrypted = await cpu('TLS 1.3', 'plain', LINES, secure);
    const zipped = await cpu('gzip', 'plain', LINES, { options: ['--gzip'] });
    const both = await cpu('TLS 1.3 and gzip', 'plain', LINES, { ...secure, options: [...secure.options, '--gzip'] });
    const tracebacks = await cpu('tracebacks', 'tracebacks', EVENTS, { options: [] });
    const single = await cpu('one by one', 'nul', ONE_BY_ONE, { options: [] });
    const rate = (seconds: number) => round(ONE_BY_ONE / seconds / 1000, 0);
    return [
      row('a million lines, plain: CPU', plain),
      row('over TLS 1.3: CPU', encrypted),
      {
        what: 'over TLS 1.3: ratio to plain',
        unit: '×',
        ours: round(encrypted[0] / plain[0], 2),
        peer: round(encrypted[1] / plain[1], 2),
        reach: REACH.tlsRatio,
      },
      row('with --gzip: CPU', zipped, round(zipped[1], 2)),
      row('over TLS 1.3 with --gzip: CPU', both, round(both[1], 2)),
      row('a million lines, 60 % of tracebacks: CPU', tracebacks, REACH.tracebacksS),
      {
        what: 'lines that JavaScript takes one by one: lines per CPU second',
        unit: 'thousand',
        ours: rate(single[0]),
        peer: rate(single[1]),
      },
    ];
  },
};
