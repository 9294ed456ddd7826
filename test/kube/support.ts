import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { KubeClient, KubeObject, ObjectRef, Observation } from '../../src/kube/index.ts';
import { TIMING, type Timing } from '../../src/kube/timing.ts';
import { connectKube } from '../cluster/kube-on-core.ts';
import { makeAuthority, type Authority } from '../cluster/authority.ts';
import { privateDirectory } from '../../tools/directory.ts';

export const JOB: ObjectRef = { group: 'batch', version: 'v1', resource: 'jobs', namespace: 'ns', name: 'sync' };

/**
 * Milliseconds where a real server takes minutes. Silence is only noticed by tests that shorten its times: a busy machine
 * may stop this process, client and server, for longer than any time that a test should take.
 */
export const FAST: Timing = {
  ...TIMING,
  idleMs: 60_000,
  absentMs: 60_000,
  pollMs: 10,
  backoff: { minMs: 5, maxMs: 20 },
};

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTPS server with a scripted part of the API, and the directory of a ServiceAccount for its clients. */
export interface ScriptedApi extends AsyncDisposable {
  /** The response to /readyz, which the script does not contain. */
  isReady: boolean;
  readonly requests: readonly { readonly url: URL; readonly token: string | undefined }[];
  readonly connections: () => number;
  readonly url: string;
  readonly accountDirectory: string;
  readonly authority: Authority;
  client(timing?: Timing): Promise<KubeClient>;
}

/** The nth request gets the nth response. Further requests get the last one. */
export async function scriptedApi(...handlers: readonly Handler[]): Promise<ScriptedApi> {
  const directory = await privateDirectory('api');
  const authority = makeAuthority('test authority');
  const { certificate, key } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'] });
  const requests: { url: URL; token: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ cert: certificate, key }, (request, response) => {
    if (request.url === '/readyz') return void response.writeHead(api.isReady ? 200 : 500).end();
    const handler = handlers[Math.min(requests.length, handlers.length - 1)];
    requests.push({ url: new URL(request.url ?? '/', 'https://api'), token: request.headers.authorization });
    handler?.(request, response);
  });
  server.on('secureConnection', (socket) => {
    connections++;
    sockets.add(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await writeFile(join(directory.path, 'ca.crt'), authority.certificate);
  await writeFile(join(directory.path, 'token'), 'token-1');
  await writeFile(join(directory.path, 'namespace'), 'own\n');
  const port = String((server.address() as AddressInfo).port);
  const api: ScriptedApi = {
    isReady: true,
    requests,
    connections: () => connections,
    url: `https://127.0.0.1:${port}`,
    accountDirectory: directory.path,
    authority,
    client: (timing = FAST) =>
      connectKube({ kind: 'in-cluster', host: '127.0.0.1', port, directory: directory.path }, timing),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      await directory[Symbol.asyncDispose]();
    },
  };
  return api;
}

export function job(resourceVersion: string, state: object = {}): KubeObject & { status: object } {
  return { metadata: { name: 'sync', resourceVersion }, status: state };
}

export function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** Sends these events and leaves the connection open. */
export function events(...lines: readonly string[]): Handler {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const text of lines) response.write(text);
  };
}

/** Sends these events and ends the watch, as a server does after timeoutSeconds. */
export function eventsThenEnd(...lines: readonly string[]): Handler {
  return (request, response) => {
    events(...lines)(request, response);
    response.end();
  };
}

export function status(code: number, message = '', headers: Record<string, string> = {}): Handler {
  return (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code, message }));
  };
}

export function forbidden(verb: string): Handler {
  return status(
    403,
    `jobs.batch "sync" is forbidden: User "system:serviceaccount:ns:waiter" cannot ${verb} resource "jobs" in API group "batch" in the namespace "ns"`,
  );
}

/** Watches until `enough` is true or the observations end; returns observations and warnings. */
export async function observe(
  client: KubeClient,
  enough: (seen: readonly Observation<KubeObject>[]) => boolean,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ seen: Observation<KubeObject>[]; warnings: string[] }> {
  const seen: Observation<KubeObject>[] = [];
  const warnings: string[] = [];
  for await (const observation of client.watch(JOB, { signal, warn: (message) => warnings.push(message) })) {
    seen.push(observation);
    if (enough(seen)) break;
  }
  return { seen, warnings };
}

export function kinds(seen: readonly Observation<KubeObject>[]): string[] {
  return seen.map((o) => (o.kind === 'object' ? `object ${o.object.metadata.resourceVersion}` : o.kind));
}
