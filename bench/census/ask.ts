import { once } from 'node:events';
import { createServer } from 'node:http';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../../src/core/log.ts';
import { answerOf } from '../../src/probe/ask.ts';
import { KOLLA_NAMES, openDoor, shimFor, writeDoorFile } from '../../src/probe/kolla/index.ts';
import { prepareChecks } from '../../src/probe/serve/index.ts';
import { shellWords } from '../../src/probe/serve/config.ts';
import { run } from '../../tools/process.ts';
import type { Answer } from './row.ts';

const TIMEOUT_MS = 1000;
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => SILENT };
/** What a shim becomes where nobody answers. There is none here: each answer is the resident server's. */
const NO_BINARY = '/nonexistent/kolla-pod';

/** Asks as the two that are compared do. */
export interface Asker extends AsyncDisposable {
  /** What is declared, by a shell as Docker runs it. */
  declared(words: string): Promise<Answer>;
  /** Words of kolla-probe. */
  native(words: string, env?: NodeJS.ProcessEnv): Promise<Answer>;
}

/**
 * Opens a door for the shims, which keeps no answer.
 * @param folder for the shims, and for what a test wants on the PATH
 */
export async function asker(folder: string): Promise<Asker> {
  await using stack = new AsyncDisposableStack();
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  for (const name of KOLLA_NAMES) {
    await writeFile(join(bin, name), shimFor(name, NO_BINARY));
    await chmod(join(bin, name), 0o755);
  }
  const stop = stack.adopt(new AbortController(), (one) => one.abort());
  const door = openDoor({ signal: stop.signal, keepMs: 0 });
  const server = createServer((request, response) => void door.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const file = join(folder, 'door');
  stack.use(await writeDoorFile({ port, token: door.token, proof: door.proof }, file));
  const PATH = `${bin}:${process.env['PATH']}`;
  const env = { PATH, KOLLA_PROBE_DOOR_FILE: file, HEALTHCHECK_CURL_MAX_TIME: '1' };
  const moved = stack.move();
  return {
    async declared(words) {
      const { code, stderr } = await run('sh', ['-c', words], { env });
      if (code > 1) throw new Error(`'${words}' ended with ${code}: ${stderr}`);
      return { healthy: code === 0, reason: stderr.trim() };
    },
    async native(words, more = {}) {
      const config = { name: 'census', run: shellWords(words), roles: [], period: 60_000, timeout: TIMEOUT_MS };
      const surroundings = { log: SILENT, inherited: { PATH, ...more } };
      const [check] = await prepareChecks([{ ...config, failures: 1, allowRemote: false }], surroundings);
      if (check === undefined) throw new Error(`no check for '${words}'`);
      const verdict = await answerOf(check.question, TIMEOUT_MS, stop.signal);
      return verdict.healthy
        ? { healthy: true, reason: verdict.detail ?? '' }
        : { healthy: false, reason: verdict.reason };
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}
