/**
 * The client for the API server as kolla-core runs it, for tests of it on both engines.
 *
 *   connectKube() -> a process of kolla-core (test/engine/on-engine/kube-client.ts) -> calls and answers as lines of JSON
 *   errors -> of the same class here, as far as tests tell them apart
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { ConfigError, NotPermittedError } from '../../src/core/errors.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import * as onNode from '../../src/kube/index.ts';
import { TIMING, type CredentialSource, type KubeClient, type KubeObject, type Timing } from '../../src/kube/index.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { isOnCore } from '../support/helper.ts';
import { coreBinary } from './core-binary.ts';
import type { Call, Said } from './kube-calls.ts';

/** connectKube() of src/kube/, with KOLLA_ON_CORE that of kolla-core. */
export const connectKube: typeof onNode.connectKube = isOnCore ? connectOnCore : onNode.connectKube;

/** node:test's test, for what can only be tested in this process; with KOLLA_ON_CORE there is no such test. */
export const testOnNode: (name: string, run: (t: TestContext) => Promise<void>) => void = isOnCore
  ? () => {}
  : (name, run) => void test(name, run);

const NAME = 'kube-client';
const directory = isOnCore ? await privateDirectory(NAME, inMemory()) : undefined;
const core = directory && (await coreBinary(directory.path, [NAME], 'test/engine/on-engine'));

async function connectOnCore(source: CredentialSource, timing: Timing = TIMING): Promise<KubeClient> {
  const child = spawn(join(core!.names, NAME), [JSON.stringify({ source, timing })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const listeners = new Map<number, (said: Said) => void>();
  createInterface(child.stdout).on('line', (line) => {
    const { id, ...said } = JSON.parse(line) as Said & { readonly id: number };
    listeners.get(id)?.(said);
  });
  child.stdin.on('error', () => {});
  let last = 0;
  const first = Promise.withResolvers<Extract<Said, { is: 'connected' }>>();
  listeners.set(0, (said) => {
    if (said.is === 'connected') first.resolve(said);
    if (said.is === 'error') first.reject(errorOf(said.error));
  });
  const { namespace, server } = await first.promise;

  /** What the call gives, until it is done or the signal aborts. */
  async function* call(
    method: Call['method'],
    args: readonly unknown[],
    { signal, warn, ...options }: { readonly signal: AbortSignal; readonly warn?: (message: string) => void },
  ): AsyncGenerator<Said> {
    signal.throwIfAborted();
    const id = ++last;
    const queue: Said[] = [];
    let wake = () => {};
    listeners.set(id, (said) => {
      queue.push(said);
      wake();
    });
    const send = (what: Omit<Call, 'client'>) => void child.stdin.write(`${JSON.stringify(what)}\n`);
    send({ id, method, args, options });
    const abort = () => wake();
    signal.addEventListener('abort', abort);
    try {
      for (;;) {
        signal.throwIfAborted();
        const said = queue.shift();
        if (said === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (said.is === 'done') return;
        else if (said.is === 'error') throw errorOf(said.error);
        else if (said.is === 'warning') warn?.(said.text);
        else yield said;
      }
    } finally {
      signal.removeEventListener('abort', abort);
      listeners.delete(id);
      send({ id, method: 'stop', args: [], options: {} });
    }
  }

  async function* observations<O>(...given: Parameters<typeof call>): AsyncGenerator<O> {
    for await (const said of call(...given)) if (said.is === 'observation') yield revived(said.observation) as O;
  }

  async function result<T>(...given: Parameters<typeof call>): Promise<T> {
    for await (const said of call(...given)) if (said.is === 'result') return said.result as T;
    return undefined as T;
  }

  return {
    namespace,
    server,
    watch: (ref, options) => observations('watch', [ref], options),
    watchSet: (ref, options) => observations('watchSet', [ref], options),
    get: (path, options) => result('get', [path], options),
    request: (method, path, body, options) => result('request', [method, path, body], options),
    apply: (path, body, options) => result('apply', [path, body], options),
    discover: (what, options) => result('discover', [what], options),
    [Symbol.dispose]: () => void child.stdin.end(),
  };
}

function revived(observation: object): object {
  if (!('objects' in observation)) return observation;
  return { ...observation, objects: new Map(observation.objects as [string, KubeObject][]) };
}

function errorOf(said: Extract<Said, { is: 'error' }>['error']): Error {
  const { name, message, code, exitCode, status, reason, retryAfterMs } = said;
  if (status !== undefined) return Object.assign(new ApiError(status, message, retryAfterMs, reason), { name });
  if (exitCode === 65) return new ConfigError(message);
  if (exitCode === 77) return new NotPermittedError(message);
  return Object.assign(new Error(message), { name, code });
}
