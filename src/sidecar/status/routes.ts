import type { IncomingMessage, ServerResponse } from 'node:http';
import { respond, type Request, type Routes } from '../../net/http/router.ts';
import type { Hub } from './hub.ts';

/** How often is looked for changes while somebody watches. */
const LOOK_MS = 500;
/** A proxy, or the tunnel of port-forward, may close what is silent. */
const BEAT_MS = 15_000;
/** A person has a few pages open; a program that opens more is told to come later. */
const WATCHERS = 16;

export interface Page {
  readonly html: string;
  /** The Content-Security-Policy that lets it, and nothing else, run. */
  readonly policy: string;
}

/** The status page, its data, and the stream of their changes: for who may look inside. Disposed of, streams are ended. */
export function statusRoutes(hub: Hub, page: () => Promise<Page>): { readonly routes: Routes } & Disposable {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    hub.refresh();
    for (const watcher of watchers) watcher.tell(hub);
  };
  const watch = (incoming: IncomingMessage, response: ServerResponse, { refusal }: Request) => {
    if (refusal !== undefined) return respond(response, refusal);
    if (incoming.method !== 'GET') return respond(response, { status: 405, body: 'GET only\n' });
    if (watchers.size >= WATCHERS) return respond(response, { status: 503, body: 'too many watch already\n' });
    const watcher = new Watcher(response, String(incoming.headers['last-event-id']));
    watchers.add(watcher);
    response.once('close', () => {
      watchers.delete(watcher);
      if (watchers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
    timer ??= setInterval(look, LOOK_MS);
    hub.refresh();
    watcher.tell(hub);
  };
  return {
    routes: {
      '/': { kind: 'raw', handle: (...exchange) => void sendPage(page, ...exchange) },
      '/status.json': {
        kind: 'inside',
        answer: () => ({ status: 200, type: 'application/json', body: `${JSON.stringify(hub.document())}\n` }),
      },
      '/events': { kind: 'raw', handle: watch },
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const watcher of watchers) watcher.end();
    },
  };
}

/** One page that is open. */
class Watcher {
  readonly #response: ServerResponse;
  #id: string;
  #saidAt = performance.now();

  constructor(response: ServerResponse, id: string) {
    this.#response = response;
    this.#id = id;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    // After a restart of ours the page should not stay blind for long.
    response.write('retry: 2000\n\n');
  }

  /** One that reads too slowly is told later, and then all at once. */
  tell(hub: Hub): void {
    if (this.#response.writableNeedDrain) return;
    const delta = hub.since(this.#id);
    const now = performance.now();
    if (delta === undefined && now - this.#saidAt < BEAT_MS) return;
    this.#saidAt = now;
    if (delta === undefined) return void this.#response.write('event: beat\ndata: still here\n\n');
    this.#id = delta.id;
    this.#response.write(`id: ${delta.id}\ndata: ${JSON.stringify(delta)}\n\n`);
  }

  end(): void {
    this.#response.end();
  }
}

async function sendPage(
  page: () => Promise<Page>,
  { method = '' }: IncomingMessage,
  response: ServerResponse,
  { refusal }: Request,
): Promise<void> {
  if (refusal !== undefined) return respond(response, refusal);
  if (!['GET', 'HEAD'].includes(method)) return respond(response, { status: 405, body: 'GET only\n' });
  const { html, policy } = await page();
  response.setHeader('content-security-policy', policy);
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  respond(response, { status: 200, body: html, type: 'text/html; charset=utf-8' });
}
