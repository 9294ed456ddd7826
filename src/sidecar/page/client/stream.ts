import type { Delta } from '../../status/hub.ts';
import type { StatusDocument } from '../../status/document.ts';
import { wholeDelta } from './model.ts';

/** The state of the page's connection. */
export type LinkState = 'connecting' | 'live' | 'asking' | 'lost';

const POLL_MS = 5000;
/** Time to wait for the first event of an open stream: a proxy may buffer the stream, so that no event arrives. */
const SILENT_MS = 8000;
/** Time without an event after which the stream is abandoned. The server sends a heartbeat at least every 15 s. */
const DEAD_MS = 40_000;
const STREAM_AGAIN_MS = 30_000;
const TRIES = 2;

/**
 * Receives changes by server-sent events, which the browser resumes by the last id; if none arrive, it polls the whole
 * document from time to time and retries the stream.
 */
export function follow(onDelta: (delta: Delta) => void, onState: (state: LinkState) => void): void {
  let failures = 0;
  let isHeard = false;
  let timer = 0;
  const stream = new EventSource('/events');
  const giveUp = (): void => {
    clearTimeout(timer);
    stream.close();
    void ask(performance.now() + STREAM_AGAIN_MS);
  };
  const ask = async (until: number): Promise<void> => {
    if (performance.now() > until) return follow(onDelta, onState);
    try {
      const answer = await fetch('/status.json', { cache: 'no-store' });
      if (!answer.ok) throw new Error(String(answer.status));
      onDelta(wholeDelta((await answer.json()) as StatusDocument));
      onState('asking');
    } catch {
      onState('lost');
    }
    setTimeout(() => void ask(until), POLL_MS);
  };
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, DEAD_MS);
    isHeard = true;
    failures = 0;
  };
  stream.addEventListener('beat', heard);
  stream.addEventListener('message', ({ data }) => {
    heard();
    onState('live');
    onDelta(JSON.parse(data as string) as Delta);
  });
  stream.addEventListener('open', () => {
    if (isHeard) onState('live');
    else timer = setTimeout(giveUp, SILENT_MS);
  });
  stream.addEventListener('error', () => {
    onState('lost');
    if (stream.readyState === EventSource.CLOSED || ++failures >= TRIES) giveUp();
  });
}
