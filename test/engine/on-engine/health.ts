/** The server of status words: as it is, until it is ended, or what it says of addresses that it can't have. */
import { messageOf } from '../../../src/core/errors.ts';
import type { ListenAddress } from '../../../src/net/address.ts';
import type { BoundedServer } from '../../../src/net/http/bounded-server.ts';
import { healthRoute, serveRoutes, type Health } from '../../../src/net/http/router.ts';

/** More than any socket holds. */
export const LONG_BYTES = 16 * 1024 * 1024;

/** What it answers; `/asked` how often it was asked for that. */
export function paths(): Readonly<Record<string, () => Health>> {
  let asked = 0;
  return {
    '/livez': () => ({ isOk: true, word: 'ok' }),
    '/readyz': () => ({ isOk: false, word: 'migrating' }),
    '/asked': () => ({ isOk: true, word: String(++asked) }),
    '/long': () => ({ isOk: true, word: 'x'.repeat(LONG_BYTES) }),
  };
}

/** Status words alone, for everybody. */
export async function serveHealth(
  at: ListenAddress,
  asked: Readonly<Record<string, () => Health>>,
): Promise<BoundedServer> {
  const routes = Object.entries(asked).map(([path, health]) => [path, healthRoute(health)] as const);
  return await serveRoutes(at, Object.fromEntries(routes), { statusPublic: false, hostNetwork: false });
}

/** What is said of each address, and whether its port can be taken again after the server's end. */
export async function refusals(port: number): Promise<string[]> {
  const said: string[] = [];
  for (const at of [{ host: '127.0.0.1', port }, { port }, { host: '192.0.2.1', port }, { host: 'no.invalid', port }])
    await serveHealth(at, {}).catch((error: unknown) => said.push(messageOf(error)));
  for (let last = 0; said.length < 6;) {
    await using server = await serveHealth({ host: 'localhost', port: last }, {});
    said.push(last === server.port ? 'the same' : 'another');
    last = server.port;
  }
  return said;
}

export async function main([taken]: string[]): Promise<number> {
  if (taken !== undefined) {
    process.stdout.write(JSON.stringify(await refusals(Number(taken))));
    return 0;
  }
  const { port } = await serveHealth({ port: 0 }, paths());
  process.stdout.write(`${port}\n`);
  return new Promise(() => {});
}
