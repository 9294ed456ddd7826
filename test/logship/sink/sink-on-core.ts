/**
 * The search server's client and the sink as kolla-core runs them, for tests of them on both engines.
 *
 *   openServer(), openSink() -> a process of kolla-core (test/engine/on-engine/sink.ts) -> calls and answers as lines of JSON
 *   errors -> of the same class here, as far as tests tell them apart
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError } from '../../../src/core/errors.ts';
import type { Batch } from '../../../src/logship/batch/batch.ts';
import { elasticsearchSink, type ElasticsearchOptions } from '../../../src/logship/sink/elasticsearch.ts';
import { NoAnswerError, Server, type ServerOptions, type ServerParts } from '../../../src/logship/sink/server.ts';
import type { Sink } from '../../../src/logship/sink/sink.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { coreBinary } from '../../cluster/core-binary.ts';
import { isOnCore } from '../../support/helper.ts';
import type { Opened, SinkCall, SinkError, SinkSaid } from './sink-calls.ts';

type TestedServer = Pick<Server, 'ask' | typeof Symbol.dispose>;
type TestedSink = Pick<Sink, 'send' | typeof Symbol.asyncDispose>;

/** `new Server()`, with KOLLA_ON_CORE that of kolla-core. */
export function openServer(options: ServerOptions, parts: ServerParts): TestedServer {
  return isOnCore ? serverOnCore(options, parts) : new Server(options, parts);
}

/** elasticsearchSink(), with KOLLA_ON_CORE that of kolla-core. */
export function openSink(options: ElasticsearchOptions, parts: ServerParts): TestedSink {
  return isOnCore ? sinkOnCore(options, parts) : elasticsearchSink(options, parts);
}

const NAME = 'sink';
const directory = isOnCore ? await privateDirectory('sink-on-core', inMemory()) : undefined;
const core = directory && (await coreBinary(directory.path, [NAME], 'test/engine/on-engine'));
if (directory !== undefined) process.once('exit', () => rmSync(directory.path, { recursive: true, force: true }));
let files = 0;
const newFile = (what: string) => join(directory!.path, `${what}${++files}`);

/** The deadline of an opening. */
const OPEN_MS = 60_000;
const POLL_MS = 2;

function serverOnCore(options: ServerOptions, parts: ServerParts): TestedServer {
  const { call, close } = connected(options, parts);
  return {
    async ask({ body, ...asked }, signal) {
      const bodyFile = newFile('body');
      if (body !== undefined) writeFileSync(bodyFile, body);
      try {
        const more = body === undefined ? {} : { bodyFile };
        const said = await call({ is: 'ask', ...asked, ...more }, signal);
        if (said.is !== 'reply') throw new Error(`a reply is ${said.is}`);
        return { status: said.status, headers: new Map(), body: Buffer.from(said.body, 'base64') };
      } finally {
        rmSync(bodyFile, { force: true });
      }
    },
    [Symbol.dispose]: close,
  };
}

function sinkOnCore(options: ElasticsearchOptions, parts: ServerParts): TestedSink {
  const { call, close } = connected(options, parts);
  return {
    async send(batch: Batch, signal) {
      const documents = Array.from({ length: batch.count }, (_, at) => batch.document(at).toString());
      const said = await call({ is: 'send', documents, indexGeneration: batch.indexGeneration }, signal);
      if (said.is !== 'answer') throw new Error(`an answer is ${said.is}`);
      batch.indexGeneration = said.indexGeneration;
      return said.answer;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(close()),
  };
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
type Result = Extract<SinkSaid, { readonly id: number }>;

function connected(options: ServerOptions & Partial<ElasticsearchOptions>, { log, ...parts }: ServerParts) {
  const program = join(core!.names, NAME);
  const urls = options.urls.map(({ href }) => href);
  const opened: Opened = { options: { ...options, urls }, parts, openedFile: newFile('opened') };
  const child = spawn(program, [JSON.stringify(opened)], { stdio: ['pipe', 'pipe', 'inherit'] });
  awaitOpened(opened.openedFile);
  const waiting = new Map<number, (said: Result) => void>();
  child.stdin.on('error', () => {});
  createInterface(child.stdout).on('line', (line) => {
    const said = JSON.parse(line) as SinkSaid;
    if (said.is === 'log') log[said.level](said.text);
    else waiting.get(said.id)?.(said);
  });
  let last = 0;
  return {
    call: async (what: WithoutId<SinkCall>, signal: AbortSignal): Promise<Result> => {
      signal.throwIfAborted();
      const id = ++last;
      const send = (call: SinkCall) => void child.stdin.write(`${JSON.stringify(call)}\n`);
      const abort = () => send({ id, is: 'stop' });
      signal.addEventListener('abort', abort);
      const said = await new Promise<Result>((resolve) => {
        waiting.set(id, resolve);
        send({ id, ...what });
      });
      signal.removeEventListener('abort', abort);
      waiting.delete(id);
      if (said.is !== 'error') return said;
      signal.throwIfAborted();
      throw errorOf(said);
    },
    close: () => void child.stdin.end(),
  };
}

/** Without a turn of the loop, as a constructor, which throws at once. */
function awaitOpened(file: string): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const lateMs = performance.now() + OPEN_MS;
  while (!existsSync(file)) {
    if (performance.now() > lateMs) throw new Error(`kolla-core's sink is not open in ${OPEN_MS / 1000} s`);
    Atomics.wait(sleeper, 0, 0, POLL_MS);
  }
  const text = readFileSync(file, 'utf8');
  if (text !== '') throw errorOf(JSON.parse(text) as SinkError);
}

function errorOf({ name, message, code, exitCode, isCut }: SinkError): Error {
  if (isCut !== undefined) return new NoAnswerError(message, isCut);
  if (exitCode === 65) return new ConfigError(message);
  return Object.assign(new Error(message), { name, code });
}
