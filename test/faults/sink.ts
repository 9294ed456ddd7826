import { startBulkSink, type BulkSink } from '../support/bulk-sink.ts';
import type { Destination } from './run.ts';
import { messageOf } from './site.ts';

/** A server that fails as it is told. */
export interface SinkDestination extends Destination, AsyncDisposable {
  readonly sink: BulkSink;
}

/** @param seed of what it refuses by chance */
export async function sinkDestination(seed: number): Promise<SinkDestination> {
  const sink = await startBulkSink({ seed });
  return {
    sink,
    args: ['--url', sink.url],
    messages: async () => (await sink.documents()).map(({ _source: source }) => messageOf(source)),
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  };
}
