import { randomBytes } from './random.ts';

/** Node's globals. esbuild adds these imports to modules that use them (build/core/). */
export { AbortController, AbortSignal } from './runtime/abort.ts';
export { Buffer } from './runtime/buffer.ts';
export { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from './runtime/loop.ts';
export { process } from './process.ts';
export { URL } from './url.ts';

export const crypto = {
  getRandomValues: (into: Uint8Array): Uint8Array => {
    into.set(randomBytes(into.length));
    return into;
  },
};

const started = sys.now(1);

export const performance = {
  timeOrigin: sys.now(0),
  now: (): number => sys.now(1) - started,
};
