/**
 * The client for the API server, for tests in another process (test/cluster/kube-on-core.ts): calls as lines on stdin,
 * each with an id; what they give as lines on stdout.
 */
import { KollaError } from '../../../src/core/errors.ts';
import { ApiError } from '../../../src/kube/api-error.ts';
import { connectKube, type KubeClient, type Observation, type SetObservation } from '../../../src/kube/index.ts';
import type { Call, Said } from '../../cluster/kube-calls.ts';
import { stdinLines } from './stdin-lines.ts';

export const main = async ([first = '']: string[]): Promise<number> => {
  const { source, timing } = JSON.parse(first) as Call['client'];
  const stops = new Map<number, AbortController>();
  const say = (id: number, said: Said) => void process.stdout.write(`${JSON.stringify({ id, ...said })}\n`);
  const begin = (client: KubeClient, call: Call) => {
    if (call.method === 'stop') return stops.get(call.id)?.abort();
    const stop = new AbortController();
    stops.set(call.id, stop);
    answer(client, call, stop.signal, (said) => say(call.id, said)).then(
      () => say(call.id, { is: 'done' }),
      (error: unknown) => say(call.id, { is: 'error', error: textOf(error) }),
    );
  };
  let client: KubeClient;
  try {
    client = await connectKube(source, timing);
  } catch (error) {
    say(0, { is: 'error', error: textOf(error) });
    return 1;
  }
  say(0, { is: 'connected', namespace: client.namespace, server: client.server });
  await stdinLines((line) => begin(client, JSON.parse(line) as Call));
  client[Symbol.dispose]();
  for (const stop of stops.values()) stop.abort();
  return 0;
};

async function answer(client: KubeClient, call: Call, signal: AbortSignal, say: (said: Said) => void): Promise<void> {
  const options = { ...call.options, signal, warn: (text: string) => say({ is: 'warning', text }) };
  const tell = (observation: Observation<never> | SetObservation<never>) =>
    say({
      is: 'observation',
      observation: observation.kind === 'set' ? { kind: 'set', objects: [...observation.objects] } : observation,
    });
  const [a, b, c] = call.args;
  switch (call.method) {
    case 'watch':
      for await (const each of client.watch<never>(a as never, options)) tell(each);
      break;
    case 'watchSet':
      for await (const each of client.watchSet<never>(a as never, options)) tell(each);
      break;
    case 'get':
      return say({ is: 'result', result: await client.get(a as never, options) });
    case 'request':
      return say({ is: 'result', result: await client.request(a as never, b as never, c, options) });
    case 'apply':
      return say({ is: 'result', result: await client.apply(a as never, b, options as never) });
    case 'discover':
      return say({ is: 'result', result: await client.discover(a as never, options) });
    case 'stop':
      break;
  }
}

function textOf(error: unknown): Extract<Said, { is: 'error' }>['error'] {
  const { name, message, code } = error as NodeJS.ErrnoException;
  return {
    name,
    message,
    code,
    ...(error instanceof KollaError ? { exitCode: error.exitCode } : {}),
    ...(error instanceof ApiError
      ? { status: error.status, reason: error.reason, retryAfterMs: error.retryAfterMs }
      : {}),
  };
}
