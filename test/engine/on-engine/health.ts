/** The health server: runs until it is stopped, or reports errors of unavailable addresses. */
import { messageOf } from '../../../src/core/errors.ts';
import type { ListenAddress } from '../../../src/net/dial/address.ts';
import type { BoundedServer } from '../../../src/net/http/bounded-server.ts';
import { healthRoute, serveRoutes, type Health } from '../../../src/net/http/router.ts';

/** More bytes than any socket buffers. */
export const LONG_BYTES = 16 * 1024 * 1024;

/** Responses by path; `/asked` counts the requests. */
export function paths(): Readonly<Record<string, () => Health>> {
  let asked = 0;
  return {
    '/livez': () => ({ isOk: true, word: 'ok' }),
    '/readyz': () => ({ isOk: false, word: 'migrating' }),
    '/asked': () => ({ isOk: true, word: String(++asked) }),
    '/long': () => ({ isOk: true, word: 'x'.repeat(LONG_BYTES) }),
  };
}

/** Serves health only, to every client. */
export async function serveHealth(
  at: ListenAddress,
  asked: Readonly<Record<string, () => Health>>,
): Promise<BoundedServer> {
  const routes = Object.entries(asked).map(([path, health]) => [path, healthRoute(health)] as const);
  return await serveRoutes(
    at,
    Object.fromEntries(routes),
    { statusPublic: false, hostNetwork: false },
    new AbortController().signal,
  );
}

/** The error for each address, and whether its port is free after the server was stopped. */
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
