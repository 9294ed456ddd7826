import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import type { Capability } from '../../tools/capability.ts';
import type { SearchServer } from '../cluster/search-server.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper, startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

/** A numbered line of Keystone. */
export function line(n: number, pid = '7'): string {
  const context = '[None req-abc user project - - default default]';
  return `2026-11-20 08:15:42.123 ${pid} INFO keystone.server ${context} line ${n}\n`;
}

export function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, i) => line(from + i)).join('');
}

/**
 * One event of three lines, the first of which is numbered. It is short, because Elasticsearch does not aggregate
 * strings over 256 characters.
 */
export function traceback(n: number): string {
  const prefix = '2026-11-20 08:15:42.123 7 ERROR keystone.server';
  return `${line(n)}${prefix} Traceback (most recent call last):\n${prefix} ValueError: bad\n`;
}

/** A log root whose lines go to indices that no other test uses. */
export interface Site extends AsyncDisposable {
  readonly directory: string;
  readonly file: string;
  readonly state: string;
  readonly prefix: string;
  /** The pattern of the indices. */
  readonly index: string;
  /** The index of the day of `line()`. */
  readonly day: string;
  /** Options of a shipper that ships to the server as its administrator. */
  readonly to: readonly string[];
  /** Options of a shipper, except those about the server. */
  readonly args: readonly string[];
}

/** @param prefix prefix of its indices, and the name of its data stream */
export async function openSite(server: SearchServer, prefix: string): Promise<Site> {
  const directory = await privateDirectory('ship');
  await mkdir(join(directory.path, 'keystone'));
  return {
    directory: directory.path,
    file: join(directory.path, 'keystone/keystone.log'),
    state: join(directory.path, '.kolla-log-ship'),
    prefix,
    index: `${prefix}-*`,
    day: `${prefix}-2026.11.20`,
    to: reaching(server, directory.path),
    args: ['--root', directory.path, '--index-prefix', prefix, '--timezone', 'UTC'],
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function reaching({ kind, url, login }: SearchServer, directory: string): string[] {
  const where = ['--to', kind, '--url', url];
  if (login === undefined) return where;
  writeFileSync(join(directory, 'ca.crt'), login.ca);
  writeFileSync(join(directory, 'password'), `${login.password}\n`);
  const secrets = ['--password-file', join(directory, 'password'), '--ca-file', join(directory, 'ca.crt')];
  return [...where, '--user', login.user, ...secrets];
}

/** Ships the existing lines, and returns the counts in its last log line. */
export async function shipOnce(site: Site, ...more: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { code, stderr } = await runHelper('kolla-log-ship', ['--once', ...site.to, ...site.args, ...more]);
  assert.equal(code, 0, stderr);
  const stopped = logLines(stderr).find(({ msg }) => msg === 'stopped');
  assert.ok(stopped, stderr);
  return stopped;
}

/** A shipper that keeps running, with its log so far. */
export async function startShipper(site: Site, to: readonly string[], ...more: readonly string[]) {
  const logFile = join(site.directory, 'shipper.txt');
  writeFileSync(logFile, '');
  const running = await startHelper('kolla-log-ship', [...to, ...site.args, ...more], { logFile });
  const log = (): string => readFileSync(logFile, 'utf8');
  return {
    running,
    log,
    /** Resolves when it has logged that. */
    says: (what: RegExp) => until(String(what), () => Promise.resolve(what.test(log()) ? true : undefined)),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** The server's number of documents in the indices, and of distinct lines among them. */
export async function inIndex(server: SearchServer, index: string): Promise<{ documents: number; distinct: number }> {
  const documents = await server.count(index);
  const aggs = { lines: { terms: { field: 'Payload.keyword', size: 65_000 } } };
  const { body } = await server.request('POST', `/${index}/_search?ignore_unavailable=true`, { size: 0, aggs });
  const { aggregations } = body as { aggregations: { lines: { buckets: unknown[] } } };
  return { documents, distinct: aggregations.lines.buckets.length };
}

export function countOf(server: SearchServer, index: string, wanted: number): Promise<number> {
  return until(`${wanted} documents in ${index}`, async () => {
    const count = await server.count(index);
    return count >= wanted ? count : undefined;
  });
}

/** A request of the test itself. It must succeed. */
export async function told(server: SearchServer, method: string, path: string, body?: object): Promise<unknown> {
  const reply = await server.request(method, path, body);
  assert.ok(reply.status < 300, JSON.stringify(reply.body));
  return reply.body;
}

/** A server that a group of tests shares. */
export interface ServerKind {
  readonly name: string;
  readonly can: Capability;
  readonly start: () => Promise<SearchServer>;
}

/** A group of tests for each of these servers, one after the other; skipped where the server cannot run. */
export async function describeEach<Kind extends ServerKind>(
  kinds: readonly Kind[],
  tests: (server: SearchServer, kind: Kind) => void,
): Promise<void> {
  for (const kind of kinds) {
    const skip = (await kind.can()) ?? false;
    describe(kind.name, { skip }, () => {
      // Tests are declared before their server runs.
      const server = {} as SearchServer;
      before(async () => {
        Object.defineProperties(server, Object.getOwnPropertyDescriptors(await kind.start()));
      });
      after(() => server[Symbol.asyncDispose]());
      tests(server, kind);
    });
  }
}
