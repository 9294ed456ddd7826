/** Digests of `node:crypto`, apart from the rest of it, which needs the TLS library. */
import { Buffer } from './runtime/buffer.ts';

class Hash {
  readonly #state: ArrayBuffer;

  constructor(which: 1 | 256) {
    this.#state = sys.hash(which);
  }

  update(more: Uint8Array): this {
    sys.hashAdd(this.#state, more);
    return this;
  }

  digest(): Buffer {
    return Buffer.from(sys.hashEnd(this.#state));
  }
}

export function createHash(name: 'sha1' | 'sha256'): Hash {
  return new Hash(name === 'sha1' ? 1 : 256);
}

export function hash(name: 'sha1' | 'sha256', content: string | Uint8Array, encoding: 'hex' | 'base64url'): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return createHash(name).update(bytes).digest().toString(encoding);
}
