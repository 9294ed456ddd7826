/**
 * The search server's client and the sink, for tests in another process (test/logship/sink/sink-on-core.ts): calls as lines on
 * stdin, each with an id; answers and log lines on stdout.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { KollaError } from '../../../src/core/errors.ts';
import type { Log } from '../../../src/core/log.ts';
import type { Batch } from '../../../src/logship/batch/batch.ts';
import { elasticsearchSink } from '../../../src/logship/sink/elasticsearch.ts';
import { NoAnswerError, Server } from '../../../src/logship/sink/server.ts';
import type { Sink } from '../../../src/logship/sink/sink.ts';
import type { Opened, SinkCall, SinkError, SinkSaid } from '../../logship/sink/sink-calls.ts';
import { stdinLines } from './stdin-lines.ts';

const say = (said: SinkSaid) => void process.stdout.write(`${JSON.stringify(said)}\n`);
const tell = (level: 'info' | 'warn') => (text: string) => say({ is: 'log', level, text });
const log: Log = { debug: () => {}, info: tell('info'), warn: tell('warn'), error: tell('warn'), with: () => log };

export const main = async ([first = '']: string[]): Promise<number> => {
  const { options, parts, openedFile } = JSON.parse(first) as Opened;
  const urls = options.urls.map((url) => new URL(url)) as [URL, ...URL[]];
  let opened: Server | Sink;
  try {
    const { target } = options;
    const all = { ...parts, log };
    opened =
      target === undefined
        ? new Server({ ...options, urls }, all)
        : elasticsearchSink({ ...options, urls, target }, all);
  } catch (error) {
    write(openedFile, JSON.stringify(errorOf(0, error)));
    return 1;
  }
  write(openedFile, '');
  const stops = new Map<number, AbortController>();
  await stdinLines((line) => {
    const call = JSON.parse(line) as SinkCall;
    if (call.is === 'stop') return stops.get(call.id)?.abort();
    const stop = new AbortController();
    stops.set(call.id, stop);
    answered(opened, call, stop.signal).then(say, (error: unknown) => say(errorOf(call.id, error)));
  });
  for (const stop of stops.values()) stop.abort();
  if (opened instanceof Server) opened[Symbol.dispose]();
  else await opened[Symbol.asyncDispose]();
  return 0;
};

function write(file: string, text: string): void {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

async function answered(opened: Server | Sink, call: SinkCall, signal: AbortSignal): Promise<SinkSaid> {
  const { id } = call;
  if (call.is === 'ask' && opened instanceof Server) {
    const { bodyFile, ...asked } = call;
    const body = bodyFile === undefined ? undefined : readFileSync(bodyFile);
    const reply = await opened.ask({ ...asked, body }, signal);
    return { id, is: 'reply', status: reply.status, body: reply.body.toString('base64') };
  }
  if (call.is === 'send' && !(opened instanceof Server)) {
    const batch = batchOf(call.documents.map((text) => Buffer.from(text)));
    batch.indexGeneration = call.indexGeneration;
    const answer = await opened.send(batch, signal);
    return { id, is: 'answer', answer, indexGeneration: batch.indexGeneration };
  }
  throw new Error(`no ${call.is} here`);
}

/** Of a Batch, what a sink uses. */
function batchOf(documents: readonly Buffer[]): Batch {
  const batch = {
    body: Buffer.concat(documents),
    count: documents.length,
    document: (at: number) => documents[at],
    pick: (some: readonly number[]) => batchOf(some.map((at) => documents[at]!)),
    indexGeneration: undefined,
  };
  return batch as unknown as Batch;
}

function errorOf(id: number, error: unknown): SinkError {
  const { name, message, code } = error as NodeJS.ErrnoException;
  const exit = error instanceof KollaError ? { exitCode: error.exitCode } : {};
  const cut = error instanceof NoAnswerError ? { isCut: error.isCut } : {};
  return { id, is: 'error', name, message, code, ...exit, ...cut };
}
