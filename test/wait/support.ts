import { once } from 'node:events';
import { DeadlineError, KollaError, SignalError } from '../../src/core/errors.ts';
import { parseDependency, waitForAll, type WaitOptions } from '../../src/wait/index.ts';
import type {
  ApiResource,
  KubeClient,
  KubeObject,
  ObjectRef,
  Observation,
  SetObservation,
  SetRef,
  WatchOptions,
} from '../../src/kube/types.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { isOnCore, logLines, startHelper } from '../support/helper.ts';
import { recordedLog } from '../support/recorded-log.ts';

export interface Waited {
  readonly done: Promise<void>;
  readonly messages: () => string[];
}

export interface Options extends Partial<WaitOptions> {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly kube?: () => Promise<KubeClient>;
  readonly onLine?: (line: string) => void;
}

/** Waits for these dependencies, and records the log. */
export function wait(texts: readonly string[], options: Options = {}): Waited {
  if (isOnCore && options.kube === undefined) return waitOnCore(texts, options);
  const { log, said } = recordedLog('info', options.onLine);
  const done = waitForAll(
    texts.map(parseDependency),
    {
      timeoutMs: 60_000,
      onFailedJob: 'fail',
      daemonsetAbsent: 'wait',
      trust: { insecure: false },
      self: { podName: 'me', nodeName: 'node1', container: undefined, isInCluster: true },
      ...options,
    },
    {
      signal: options.signal ?? new AbortController().signal,
      log,
      kube: options.kube ?? (() => Promise.reject(new Error('no API server is needed here'))),
    },
  );
  return { done, messages: () => logLines(said()).map(({ msg }) => msg) };
}

/** The same with the command of kolla-core, whose exit code becomes an error. */
function waitOnCore(texts: readonly string[], options: Options): Waited {
  let [said, rest] = ['', ''];
  const lines = (chunk: string) => {
    const all = (rest + chunk).split('\n');
    rest = all.pop() ?? '';
    for (const line of all) {
      if (/"msg":"(?:no config\.json|ready after)/.test(line)) continue;
      said += `${line}\n`;
      options.onLine?.(line);
    }
  };
  const run = async () => {
    const words = ['--config-dir', '/no/config', '--allow-no-config', '--timeout', `${options.timeoutMs ?? 60_000}ms`];
    const waits = texts.flatMap((text) => ['--wait', text]);
    await using running = await startHelper('kolla-init', [...words, ...waits], {
      env: { POD_NAME: 'me', NODE_NAME: 'node1', KUBERNETES_SERVICE_HOST: '192.0.2.1' },
      keepOutput: true,
    });
    const { child, pid, ended } = running;
    options.signal?.addEventListener('abort', () => process.kill(pid, 'SIGTERM'));
    child.stdout?.resume();
    const [code] = await Promise.all([ended, once(child.stderr!.setEncoding('utf8').on('data', lines), 'close')]);
    if (code === 0) return;
    if (code === 143) throw new SignalError('SIGTERM');
    const why = logLines(said).findLast(({ level }) => level === 'error')?.msg ?? '';
    throw code === 75 ? new DeadlineError(why) : new KollaError(code, why);
  };
  return { done: run(), messages: () => logLines(said).map(({ msg }) => msg) };
}

export interface Script {
  /** Observations of the watch on each object. A watch without an entry stays quiet. */
  readonly one?: (ref: ObjectRef, options: WatchOptions) => readonly Observation<KubeObject>[] | undefined;
  readonly set?: (ref: SetRef, options: WatchOptions) => readonly SetObservation<KubeObject>[] | undefined;
  /** Responses by path; 404 for a path without an entry. */
  readonly objects?: Readonly<Record<string, unknown>>;
  /** The result of every discovery. */
  readonly resource?: ApiResource;
}

export interface ScriptedClient extends KubeClient {
  readonly watched: readonly (ObjectRef | SetRef)[];
  /** The paths of all GET requests. */
  readonly asked: readonly string[];
}

/** A client whose observations the test scripts. test/integration covers the real one. */
export function scriptedClient({ one, set, objects = {}, resource }: Script): ScriptedClient {
  const watched: (ObjectRef | SetRef)[] = [];
  const asked: string[] = [];
  async function* tell<O>(told: readonly O[] | undefined, signal: AbortSignal): AsyncGenerator<O> {
    yield* told ?? [];
    signal.throwIfAborted();
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }
  return {
    watched,
    asked,
    namespace: 'own',
    server: '',
    watch: <T extends KubeObject>(ref: ObjectRef, options: WatchOptions) => {
      watched.push(ref);
      return tell(one?.(ref, options) as readonly Observation<T>[] | undefined, options.signal);
    },
    watchSet: <T extends KubeObject>(ref: SetRef, options: WatchOptions) => {
      watched.push(ref);
      return tell(set?.(ref, options) as readonly SetObservation<T>[] | undefined, options.signal);
    },
    get: <T>(path: string) => {
      asked.push(path);
      return path in objects ? Promise.resolve(objects[path] as T) : Promise.reject(new ApiError(404, `no ${path}`));
    },
    request: () => Promise.reject(new ApiError(403, 'only reading is scripted')),
    apply: () => Promise.reject(new Error('unasked')),
    discover: () => Promise.resolve(resource),
    [Symbol.dispose]: () => {},
  };
}

/** The observation of an object that has this state. */
export function seen(state: Readonly<Record<string, unknown>>, metadata: object = {}): Observation<KubeObject> {
  return { kind: 'object', object: { ...state, metadata: { name: 'sync', ...metadata } } };
}

export function setOf(...objects: readonly (KubeObject & object)[]): SetObservation<KubeObject> {
  return { kind: 'set', objects: new Map(objects.map((object) => [object.metadata.name, object])) };
}
