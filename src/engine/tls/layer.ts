/** TLS on a connected descriptor, as a layer of a Socket. The library itself says for which direction it waits. */
import { messageOf } from '../../core/errors.ts';
import type { Layer } from '../net/layer.ts';
import { EAGAIN } from '../net/socket.ts';
import { done } from '../runtime/errors.ts';
import { POLLIN, POLLOUT } from '../runtime/loop.ts';
import { certificateOf, type PeerCertificate } from '../x509/peer.ts';
import { failureOf, verdictCode, type Failure } from './failure.ts';

/** Results of sys.tlsRead() and others that are not a number of bytes. */
const [WANTS_READ, WANTS_WRITE, FAILED] = [-1, -2, -3];

export interface LayerOptions {
  readonly context: number;
  /** The name or address that the certificate must be for. */
  readonly name: string;
  /** Whether the certificate must be for it. */
  readonly isNamed: boolean;
  /** The name sent to the server; empty for an address. */
  readonly sentName: string;
  readonly isVerified: boolean;
  /** Names of ALPN. */
  readonly protocols?: readonly string[] | undefined;
  /** Called once, when the handshake is done. */
  readonly onSecure: () => void;
}

export class TlsLayer implements Layer {
  readonly #fd: number;
  readonly #tls: number;
  readonly #name: string;
  readonly #onSecure: () => void;
  #isSecure = false;
  hasMore = false;
  /** What came after the last bytes, until it is told. */
  #over: 'end' | Failure | undefined;
  /** What the last call of each direction waits for. The handshake begins with ours. */
  #readWants = POLLOUT;
  #writeWants = POLLOUT;

  constructor(fd: number, { context, name, isNamed, sentName, isVerified, protocols, onSecure }: LayerOptions) {
    this.#fd = fd;
    this.#name = name;
    this.#onSecure = onSecure;
    const offered = protocols && Buffer.concat(protocols.map((one) => Buffer.from([one.length, ...Buffer.from(one)])));
    this.#tls = done(sys.tlsOpen(context, fd, isNamed ? name : null, sentName, isVerified, offered), 'tlsOpen');
  }

  read(into: Uint8Array): number {
    // Who listened to the end of the handshake may have closed the connection.
    if (!this.#isSecure) return this.#shakeHands();
    if (this.#over !== undefined) return this.#ended(this.#over);
    // A record has 16 KiB at most, and poll(2) does not know of bytes that are decrypted already.
    let length = 0;
    this.hasMore = true;
    while (length < into.length) {
      const more = sys.tlsRead(this.#tls, into, length, into.length - length);
      if (more > 0) length += more;
      else if (more === FAILED || more === 0) {
        const over = more === 0 ? 'end' : sys.tlsFailure(this.#tls);
        if (length === 0) return this.#ended(over);
        // poll(2) does not know either of an end or an error that came with the bytes.
        this.#over = over;
        break;
      } else {
        this.hasMore = false;
        return length > 0 ? length : this.#waits(more, 'read');
      }
    }
    return length;
  }

  #ended(over: 'end' | Failure): 0 {
    return over === 'end' ? 0 : this.#failed(over);
  }

  write(bytes: Uint8Array): number {
    if (!this.#isSecure) return EAGAIN;
    const length = sys.tlsWrite(this.#tls, bytes, 0, bytes.length);
    if (length > 0) return length;
    if (length !== FAILED) return this.#waits(length, 'write');
    // Why the server has closed the connection may be in an alert that is not read yet.
    if (sys.tlsRead(this.#tls, new Uint8Array(1), 0, 1) === FAILED) this.#failed(sys.tlsFailure(this.#tls));
    throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
  }

  /** Sends the end of our data. The peer may go on. */
  end(): void {
    sys.tlsShutdown(this.#tls);
    sys.shutdown(this.#fd);
  }

  events(isReading: boolean, isWriting: boolean): number {
    if (!this.#isSecure) return this.#readWants;
    return (isReading ? this.#readWants : 0) | (isWriting ? this.#writeWants : 0);
  }

  free(): void {
    sys.tlsClose(this.#tls);
  }

  /** The verdict on the server's certificate: undefined if it is trusted, or Node's code. */
  get distrust(): string | undefined {
    const verdict = sys.tlsFailure(this.#tls)[3];
    return verdict === 0 ? undefined : verdictCode(verdict, sys.tlsChain(this.#tls).length);
  }

  /** The protocol of ALPN that the server has chosen, after the handshake. */
  get protocol(): string | false {
    return sys.tlsProtocol(this.#tls) || false;
  }

  /**
   * The chain that was judged, the server's own certificate first; without one, what the server has sent.
   * @throws Error for a certificate that the library reads and we do not
   */
  get chain(): PeerCertificate[] {
    return sys.tlsChain(this.#tls).map((der) => readable(Buffer.from(der)));
  }

  #shakeHands(): number {
    const result = sys.tlsHandshake(this.#tls);
    if (result === FAILED || result === 0) return this.#failed(sys.tlsFailure(this.#tls), true);
    if (result !== 1) return this.#waits(result, 'read');
    this.#isSecure = true;
    this.#readWants = POLLIN;
    this.#onSecure();
    return EAGAIN;
  }

  #waits(result: number, direction: 'read' | 'write'): number {
    const wants = result === WANTS_READ ? POLLIN : result === WANTS_WRITE ? POLLOUT : 0;
    if (direction === 'read') this.#readWants = wants;
    else this.#writeWants = wants;
    return EAGAIN;
  }

  /** @returns 0 for an end of the connection. @throws the error */
  #failed(failure: Failure, isHandshake = false): 0 {
    const error = failureOf(failure, this.#name, this.chain);
    if (error !== undefined) throw error;
    if (!isHandshake) return 0;
    const text = 'Client network socket disconnected before secure TLS connection was established';
    throw Object.assign(new Error(text), { code: 'ECONNRESET' });
  }
}

function readable(der: Buffer): PeerCertificate {
  try {
    return certificateOf(der);
  } catch (cause) {
    throw new Error(`its certificate cannot be read: ${messageOf(cause)}`, { cause });
  }
}
