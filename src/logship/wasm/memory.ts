import { WASM } from './wasm.ts';

/** Milliseconds since the start of the minute; see `time` in native/log-lines.ts. */
export type FindTime = (at: number, end: number, minute: number) => number;

/** The functions of native/log-lines.ts. Parameters are addresses. */
interface Functions {
  raw(to: number, from: number, end: number, head: number, headBytes: number, tail: number, tailBytes: number): number;
  oslo(
    to: number,
    from: number,
    end: number,
    head: number,
    headBytes: number,
    tail: number,
    tailBytes: number,
    keys: number,
  ): number;
  readonly time: FindTime;
  readonly begins: FindTime;
  pidOf(): number;
  number(id: number, high: number, low: number, from: number, end: number, at: number, ms: number): void;
}

/** The part of the engine's WebAssembly API that is used; Node's types leave it to the DOM library. */
interface Engine {
  validate(code: Uint8Array): boolean;
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Functions };
}

const KEY_BYTES = 32;
const KEYS =
  'Timestamp Pid log_level python_module Payload global_request_id request_id user_id tenant_id domain_id system_scope user_domain project_domain'.split(
    ' ',
  );
const PAGE_BYTES = 64 * 1024;
const PAGES = 64;
/** The module uses the first page itself. */
const TEXTS = PAGE_BYTES;
const READ = 2 * PAGE_BYTES;
const WRITE = 40 * PAGE_BYTES;
/** The functions read and write slightly beyond the ranges they are given. */
const SLACK_BYTES = PAGE_BYTES;

/**
 * Memory shared with the WebAssembly module: bytes read from a file become part of a request without a copy in
 * JavaScript's heap. Only pages in use are resident.
 */
export class SharedMemory {
  readonly functions: Functions;
  /** The keys in the order of their numbers in native/log-lines.ts, each with its length in its last byte. */
  readonly keys: Buffer;
  /** The minute with which lines are compared, and the TimeReader that set it. */
  readonly minute: { readonly text: Buffer; readonly address: number; of: object | undefined };
  readonly #bytes: ArrayBuffer;
  #texts = TEXTS;

  private constructor(memory: { readonly buffer: ArrayBuffer }, functions: Functions) {
    this.#bytes = memory.buffer;
    this.functions = functions;
    const text = this.text(KEY_BYTES);
    this.minute = { text, address: text.byteOffset, of: undefined };
    this.keys = this.text(KEY_BYTES * KEYS.length);
    for (const [nth, key] of KEYS.entries())
      this.keys[(nth + 1) * KEY_BYTES - 1] = this.keys.write(`","${key}":"`, nth * KEY_BYTES);
  }

  /** Undefined if the engine or the CPU cannot run the module; lines are then converted to strings. */
  static open(): SharedMemory | undefined {
    const code = Buffer.from(WASM, 'base64');
    const { WebAssembly } = globalThis as unknown as { readonly WebAssembly?: Engine };
    if (WebAssembly?.validate(code) !== true) return undefined;
    const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } });
    return new SharedMemory(memory, exports);
  }

  /** Whether the bytes are in this memory. */
  has(bytes: Buffer): boolean {
    return bytes.buffer === this.#bytes;
  }

  /** Memory for the reader; undefined if the length is too large. */
  readBuffer(bytes: number): Buffer | undefined {
    return READ + bytes + SLACK_BYTES > WRITE ? undefined : this.#at(READ, bytes);
  }

  /** Memory for a request that is being filled. */
  writeBuffer(bytes: number): Buffer {
    if (WRITE + bytes + SLACK_BYTES > PAGES * PAGE_BYTES) throw new RangeError(`${bytes} bytes are too many`);
    return this.#at(WRITE, bytes);
  }

  /** Memory for a text that is never freed. */
  text(bytes: number): Buffer {
    const at = this.#texts;
    this.#texts += bytes;
    if (this.#texts > READ) throw new RangeError(`${bytes} bytes are too many`);
    return this.#at(at, bytes);
  }

  #at(at: number, bytes: number): Buffer {
    return Buffer.from(this.#bytes, at, bytes);
  }
}
