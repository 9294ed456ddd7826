import type { Exchange } from '../../net/http/exchange.ts';
import type { Request, Routes } from '../../net/http/router.ts';
import type { Hub } from './hub.ts';

/** Interval of comparisons while a client watches the page. */
const LOOK_MS = 500;
/** Interval of heartbeats, since a proxy or a port-forward tunnel may close idle connections. */
const BEAT_MS = 15_000;
/** Maximum number of streams: a user has few pages open, and a client that opens more is told to retry later. */
const WATCHERS = 16;

export interface Page {
  readonly html: string;
  /** The Content-Security-Policy that allows only the page's own scripts. */
  readonly policy: string;
}

/** The status page, its data, and the event stream, for clients allowed to see details. Disposal ends the streams. */
export function statusRoutes(hub: Hub, page: () => Promise<Page>): { readonly routes: Routes } & Disposable {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    hub.refresh();
    for (const watcher of watchers) watcher.tell(hub);
  };
  const watch = (exchange: Exchange, { refusal }: Request) => {
    if (refusal !== undefined) return exchange.respond(refusal);
    if (exchange.method !== 'GET') return exchange.respond(GET_ONLY);
    if (watchers.size >= WATCHERS) return exchange.respond({ status: 503, body: 'too many watch already\n' });
    const watcher = new Watcher(exchange, exchange.headers.get('last-event-id') ?? '');
    watchers.add(watcher);
    exchange.onClose(() => {
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
      '/': { kind: 'raw', handle: (exchange, request) => void sendPage(page, exchange, request) },
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

/** One open page. */
class Watcher {
  readonly #exchange: Exchange;
  #id: string;
  #saidAt = performance.now();

  constructor(exchange: Exchange, id: string) {
    this.#exchange = exchange;
    this.#id = id;
    exchange.stream('text/event-stream; charset=utf-8');
    // After our restart the page should reconnect soon.
    exchange.write('retry: 2000\n\n');
  }

  /** Sends the changes to the page. A client that reads slowly gets them later, combined. */
  tell(hub: Hub): void {
    if (this.#exchange.isBehind) return;
    const delta = hub.since(this.#id);
    const now = performance.now();
    if (delta === undefined && now - this.#saidAt < BEAT_MS) return;
    this.#saidAt = now;
    if (delta === undefined) return this.#exchange.write('event: beat\ndata: still here\n\n');
    this.#id = delta.id;
    this.#exchange.write(`id: ${delta.id}\ndata: ${JSON.stringify(delta)}\n\n`);
  }

  end(): void {
    this.#exchange.end();
  }
}

const GET_ONLY = { status: 405, body: 'GET only\n' } as const;

async function sendPage(page: () => Promise<Page>, exchange: Exchange, { refusal }: Request): Promise<void> {
  if (refusal !== undefined) return exchange.respond(refusal);
  if (!['GET', 'HEAD'].includes(exchange.method)) return exchange.respond(GET_ONLY);
  const { html, policy } = await page();
  const headers = {
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
  exchange.respond({ status: 200, body: html, type: 'text/html; charset=utf-8', headers });
}
