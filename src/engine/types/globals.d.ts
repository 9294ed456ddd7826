/**
 * The types available to kolla-core instead of @types/node, only for build/core/check.ts: the engine's globals, and our
 * implementations of Node's modules. kolla-core has nothing else.
 */
import type * as abort from '../runtime/abort.ts';
import type * as buffer from '../runtime/buffer.ts';
import type * as globals from '../globals.ts';
import type * as loop from '../runtime/loop.ts';
import type { process as ours, Stream } from '../process.ts';
import type { SignalName } from '../signals.ts';
import type * as url from '../url.ts';

declare global {
  const process: typeof ours;
  const Buffer: typeof buffer.Buffer;
  type Buffer = buffer.Buffer;
  const AbortController: typeof abort.AbortController;
  type AbortController = abort.AbortController;
  const AbortSignal: typeof abort.AbortSignal;
  type AbortSignal = abort.AbortSignal;
  const setTimeout: typeof loop.setTimeout;
  const clearTimeout: typeof loop.clearTimeout;
  const setImmediate: typeof loop.setImmediate;
  const clearImmediate: typeof loop.clearImmediate;
  const setInterval: typeof loop.setInterval;
  const clearInterval: typeof loop.clearInterval;
  const crypto: typeof globals.crypto;
  const performance: typeof globals.performance;
  const URL: typeof url.URL;
  type URL = url.URL;
  /** Used in a file that kolla-core replaces. The rule no-undef checks the bundle. */
  const TextDecoder: new (encoding: string, options: object) => { decode(bytes: Uint8Array): string };
  /** Provided by the engine. */
  const atob: (text: string) => string;
  const btoa: (text: string) => string;
  namespace NodeJS {
    interface ErrnoException extends Error {
      errno?: number | undefined;
      code?: string | undefined;
      path?: string | undefined;
      syscall?: string | undefined;
    }
    type ProcessEnv = Record<string, string | undefined>;
    type Signals = SignalName;
    type Timeout = loop.Timer;
    type Immediate = loop.Immediate;
    type WritableStream = Pick<Stream, 'write' | 'on' | 'off'>;
    type WriteStream = Stream;
  }
}
