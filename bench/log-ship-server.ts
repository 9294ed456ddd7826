import type { SearchServer } from '../test/cluster/search-server.ts';
import { until } from '../test/support/until.ts';
import { round, type Figure } from './figure.ts';
import { ours, rsyslog, taken, type Shipper, type Taken } from './log-shipper.ts';

const ROUNDS = 2;
const INDEX = 'flog-2026.11.20';

/**
 * Cost of shipping to a real server, which is slower than the shippers.
 * @param name with its version, for the rows
 * @param lines number of lines in the file, all of one day
 */
export async function serverFigures(
  name: string,
  server: SearchServer,
  { root, file, lines }: { readonly root: string; readonly file: string; readonly lines: number },
): Promise<Figure[]> {
  const port = Number(new URL(server.url).port);
  const shipped = async (shipper: Shipper): Promise<Taken> => {
    await server.request('DELETE', `/${INDEX}`);
    const result = await taken(shipper, { root, files: [file], documents: 'parsed', port }, async () => {
      await until(`${lines} lines in ${name}`, async () => ((await server.count(INDEX)) >= lines ? true : undefined));
      const lastMs = performance.timeOrigin + performance.now();
      return { firstMs: lastMs, lastMs };
    });
    const held = await server.count(INDEX);
    if (held !== lines) throw new Error(`${name} holds ${held} of ${lines} lines`);
    return result;
  };
  const both: { ours: Taken[]; peer: Taken[] } = { ours: [], peer: [] };
  for (let i = 0; i < ROUNDS; i++) {
    both.ours.push(await shipped(ours));
    both.peer.push(await shipped(rsyslog));
  }
  const figure = (what: string, unit: string, key: keyof Taken, digits: number): Figure => ({
    what: `${lines.toLocaleString('en')} lines into ${name}, parsed: ${what}`,
    unit,
    ours: round(Math.min(...both.ours.map((one) => one[key])), digits),
    peer: round(Math.min(...both.peer.map((one) => one[key])), digits),
  });
  return [figure('CPU', 's', 'cpuS', 2), figure('wall time', 's', 'wallS', 1)];
}
