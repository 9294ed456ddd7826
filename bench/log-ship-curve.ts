/**
 * CPU of shippers of a file that grows steadily, by its lines per second: `make bench NAME=log-ship-curve BEFORE=FILE`,
 * as in log-ship-before.ts.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canRunRsyslog } from '../test/cluster/rsyslog.ts';
import { startBulkSink } from '../test/support/bulk-sink.ts';
import { logLines } from '../test/support/log-lines.ts';
import { until } from '../test/support/until.ts';
import { privateDirectory } from '../tools/directory.ts';
import type { FiguresBench } from './bench.ts';
import { curveDrawing } from './curve-drawing.ts';
import { round } from './figure.ts';
import { before, canCompareBuilds, cpuSecondsOf, ours, rsyslog, type Shipper } from './log-shipper.ts';

const RATES = [100, 1000, 10_000, 20_000, 30_000, 40_000];
const WRITES_PER_SECOND = 10;
const SECONDS = 10;

export const logShipCurve: FiguresBench = {
  kind: 'figures',
  name: 'log-ship-curve',
  title: 'kolla-log-ship: CPU by lines per second, parsed',
  peer: 'the build that decoded lines to strings',
  other: "Debian's rsyslog",
  subject: 'this build',
  capability: async () => (await canCompareBuilds()) ?? (await canRunRsyslog()),
  draw: (compared, figures) => curveDrawing(compared, RATES, figures),
  async run(say) {
    const figures = [];
    for (const rate of RATES) {
      const what = `${rate.toLocaleString('en')} lines/s`;
      say(what);
      figures.push({
        what,
        unit: '% of a core',
        ours: await percentAt(rate, ours),
        peer: await percentAt(rate, before),
        other: await percentAt(rate, rsyslog),
      });
    }
    return figures;
  },
};

async function percentAt(rate: number, shipper: Shipper): Promise<number> {
  await using logs = await privateDirectory('bench-curve');
  await using directory = await privateDirectory('bench-ship');
  await using sink = await startBulkSink({ fast: true });
  const file = join(logs.path, 'nova/nova-compute.log');
  await mkdir(join(logs.path, 'nova'));
  const events = rate / WRITES_PER_SECOND;
  const part = [...logLines({ events })].join('');
  writeFileSync(file, part);
  const job = { root: logs.path, files: [file], documents: 'parsed', port: sink.port } as const;
  await using running = await shipper(job, directory.path);
  const arrived = (lines: number) =>
    until(`${lines} lines in the sink`, async () => ((await sink.counts()).documents >= lines ? true : undefined));
  await arrived(events);
  const [startS, beganMs] = [cpuSecondsOf(running.pid), performance.now()];
  for (let nth = 1; nth <= SECONDS * WRITES_PER_SECOND; nth++) {
    appendFileSync(file, part);
    await sleep(Math.max(0, beganMs + (nth * 1000) / WRITES_PER_SECOND - performance.now()));
  }
  await arrived(events * (1 + SECONDS * WRITES_PER_SECOND));
  const seconds = (performance.now() - beganMs) / 1000;
  return round(((cpuSecondsOf(running.pid) - startS) / seconds) * 100, 1);
}
