import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, SetRef } from '../../src/kube/index.ts';
import { randomFrom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { FAST, line, scriptedApi, status, type Handler } from './support.ts';

const PODS: SetRef = { group: '', version: 'v1', resource: 'pods', namespace: 'ns' };
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const CHANGES = 300;

interface Change {
  readonly version: number;
  readonly text: string;
}

/** A minimal API server for a set: changing objects, a limited history of changes, watches. */
class Model {
  /** The objects at each version: their names and versions. */
  readonly history: string[] = [''];
  readonly #objects = new Map<string, number>();
  readonly #changes: Change[] = [];
  readonly #watches = new Set<(text: string) => void>();
  readonly #endsBeginning: boolean;
  #forgotten = 0;

  /** @param endsBeginning whether the server marks the end of the initial events with a bookmark */
  constructor(endsBeginning: boolean) {
    this.#endsBeginning = endsBeginning;
  }

  get version(): number {
    return this.history.length - 1;
  }

  change(name: string, isDeletion: boolean): void {
    const type = isDeletion ? 'DELETED' : this.#objects.has(name) ? 'MODIFIED' : 'ADDED';
    if (isDeletion && !this.#objects.delete(name)) return;
    const version = this.version + 1;
    if (!isDeletion) this.#objects.set(name, version);
    this.history.push(fingerprint(this.#objects));
    const text = line(type, object(name, version));
    this.#changes.push({ version, text });
    for (const tell of this.#watches) tell(text);
  }

  compact(): void {
    this.#forgotten = this.version;
  }

  list(): object {
    const items = [...this.#objects].map(([name, version]) => object(name, version));
    return { metadata: { resourceVersion: String(this.version) }, items };
  }

  /** Sends the events of a watch from this version, past and future. Undefined if the version is too old. */
  watch(from: string | null, tell: (text: string) => void): (() => void) | undefined {
    if (from === null) {
      for (const [name, version] of this.#objects) tell(line('ADDED', object(name, version)));
      if (this.#endsBeginning) tell(line('BOOKMARK', { metadata: { resourceVersion: String(this.version) } }));
    } else {
      if (Number(from) < this.#forgotten) return undefined;
      for (const { version, text } of this.#changes) if (version > Number(from)) tell(text);
    }
    this.#watches.add(tell);
    return () => void this.#watches.delete(tell);
  }
}

function object(name: string, version: number): KubeObject {
  return { metadata: { name, namespace: 'ns', resourceVersion: String(version) } };
}

function fingerprint(objects: ReadonlyMap<string, number | string>): string {
  return [...objects]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, version]) => `${name}@${version}`)
    .join(' ');
}

/** A server that responds from the model, with random faults while `faults` is set. */
function serve(model: Model, random: () => number, faults: { on: boolean }): Handler {
  return (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'https://api');
    const fault = faults.on ? Math.floor(random() * 24) : -1;
    if (fault === 0) return void request.socket.destroy();
    if (fault === 1) return status(500, 'etcd is away')(request, response);
    if (fault === 2) return status(429, 'later', { 'retry-after': '0' })(request, response);
    if (fault === 3) return void response.end('<html>\n');
    if (fault === 4) return; // no response
    if (searchParams.get('watch') !== 'true') return void response.end(JSON.stringify(model.list()));
    const from = searchParams.get('resourceVersion');
    if (fault === 5) return status(410, 'too old')(request, response);
    response.writeHead(200);
    response.flushHeaders();
    const stop = model.watch(from, sender(response, faults, random));
    if (stop === undefined) return void response.end(line('ERROR', { kind: 'Status', code: 410, message: 'too old' }));
    response.once('close', stop);
  };
}

/** Sends events; a fault may end the stream after or within one, or leave it silent without an end. */
function sender(
  response: ServerResponse,
  faults: { readonly on: boolean },
  random: () => number,
): (text: string) => void {
  let isOver = false;
  return (text) => {
    if (isOver) return;
    const fault = faults.on ? Math.floor(random() * 60) : -1;
    isOver = fault >= 0 && fault <= 2;
    if (fault === 0) response.write(text.slice(0, Math.floor(random() * text.length)), () => response.destroy());
    else if (fault === 1) response.end(text);
    else if (fault !== 2) response.write(text);
  };
}

for (const endsBeginning of [true, false]) {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const kind = endsBeginning ? 'sends a bookmark' : 'sends no bookmark';
    test(`with a server that ${kind} at the end of the initial events, only true states are reported, in order, through random faults (seed ${seed})`, async () => {
      const random = randomFrom(seed);
      const model = new Model(endsBeginning);
      const faults = { on: true };
      await using api = await scriptedApi(serve(model, random, faults));
      using client = await api.client({ ...FAST, idleMs: 100, answerMs: 100, absentMs: 20 });
      const stop = new AbortController();
      let [at, last, told] = [0, '?', 0];
      const watching = (async () => {
        for await (const seen of client.watchSet<KubeObject>(PODS, { signal: stop.signal, warn: () => {} })) {
          if (seen.kind !== 'set') continue;
          last = fingerprint(
            new Map([...seen.objects].map(([name, { metadata }]) => [name, metadata.resourceVersion!])),
          );
          const next = model.history.indexOf(last, at);
          assert.notEqual(next, -1, `'${last}' never existed, or is older than an earlier report`);
          [at, told] = [next, told + 1];
        }
      })().catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
      const driving = async () => {
        for (let n = 0; n < CHANGES && !stop.signal.aborted; n++) {
          model.change(NAMES[Math.floor(random() * NAMES.length)]!, random() < 0.4);
          if (random() < 0.05) model.compact();
          if (random() < 0.3) await sleep(random() * 8);
          // A slow machine would see only the last state.
          if (n === CHANGES / 2) await until('a state to be told', async () => told > 0 || undefined);
        }
        faults.on = false;
        model.change('a', false);
        await until('the last state to be reported', async () => last === model.history.at(-1) || undefined);
        stop.abort(); // ends the watch
      };
      try {
        await Promise.all([driving(), watching]);
      } finally {
        stop.abort();
      }
      assert.ok(told > 1, `only ${told} states were reported`);
    });
  }
}
