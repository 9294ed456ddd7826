import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SearchServer } from '../test/cluster/search-server.ts';
import { until } from '../test/support/until.ts';
import { round, type Figure } from './figure.ts';
import { bareBulk, documentsOf, ours, rsyslog, taken, type Shipper, type Taken } from './log-shipper.ts';

const ROUNDS = 2;
const INDEX = 'flog-2026.11.20';
const REACH_BARE_RATIO = 1.1;

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
  const made = join(root, 'documents.jsonl');
  await writeFile(made, await documentsOf({ root, files: [file] }));
  const shipped = async (shipper: Shipper, from: string): Promise<Taken> => {
    await server.request('DELETE', `/${INDEX}`);
    const result = await taken(shipper, { root, files: [from], documents: 'parsed', port }, async () => {
      await until(`${lines} lines in ${name}`, async () => ((await indexedBy(server)) >= lines ? true : undefined));
      const lastMs = performance.timeOrigin + performance.now();
      return { firstMs: lastMs, lastMs };
    });
    const held = await server.count(INDEX);
    if (held !== lines) throw new Error(`${name} holds ${held} of ${lines} lines`);
    return result;
  };
  const runs: { ours: Taken[]; peer: Taken[]; bare: Taken[] } = { ours: [], peer: [], bare: [] };
  // A new server compiles its code during the first documents.
  await shipped(bareBulk(INDEX), made);
  for (let i = 0; i < ROUNDS; i++) {
    runs.ours.push(await shipped(ours, file));
    runs.bare.push(await shipped(bareBulk(INDEX), made));
    runs.peer.push(await shipped(rsyslog, file));
  }
  const what = `${lines.toLocaleString('en')} lines into ${name}, parsed`;
  const least = (whose: keyof typeof runs, key: keyof Taken, digits: number) =>
    round(Math.min(...runs[whose].map((one) => one[key])), digits);
  const [wall, bareWall] = [least('ours', 'wallS', 1), least('bare', 'wallS', 1)];
  const bare = `${what}, compared with a bare bulk client`;
  return [
    { what: `${what}: CPU`, unit: 's', ours: least('ours', 'cpuS', 2), peer: least('peer', 'cpuS', 2) },
    { what: `${what}: wall time`, unit: 's', ours: wall, peer: least('peer', 'wallS', 1) },
    { what: `${bare}: wall time`, unit: 's', ours: wall, peer: bareWall },
    { what: `${bare}: ratio`, unit: '×', ours: round(wall / bareWall, 2), peer: 1, reach: REACH_BARE_RATIO },
  ];
}

/** Documents indexed so far. Counting them by a search needs a refresh each time, which slows the server down. */
async function indexedBy(server: SearchServer): Promise<number> {
  const { body } = await server.request('GET', `/${INDEX}/_stats/indexing?ignore_unavailable=true`);
  const { _all: all } = body as { _all?: { primaries?: { indexing?: { index_total: number } } } };
  return all?.primaries?.indexing?.index_total ?? 0;
}
