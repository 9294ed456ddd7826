import { isIP } from '../net/address.ts';
import { Socket } from '../net/connection.ts';
import type { PeerCertificate } from '../x509/peer.ts';
import { TlsLayer } from './layer.ts';
import { contextFor, type Identity } from './trust.ts';

/** The options of Node's tls.connect() that kolla-core has. */
export interface ConnectionOptions extends Identity {
  /** An open connection, which must not be used any more. */
  readonly socket?: Socket;
  /** The name or address that the certificate must be for, without `servername`. */
  readonly host?: string;
  /** The name that the certificate must be for, which is also sent; empty for none. */
  readonly servername?: string;
  /** Whether a server that is not trusted is an error. */
  readonly rejectUnauthorized?: boolean;
  readonly ALPNProtocols?: readonly string[];
  /** Given if a trusted certificate may be for any name. */
  readonly checkServerIdentity?: () => undefined;
}

/** A connection whose bytes are encrypted. */
export class TLSSocket extends Socket {
  readonly #layer: TlsLayer;
  /** Whether the server's certificate is trusted, and is for the expected name. */
  authorized = false;
  /** Why not, as a code. */
  authorizationError: string | undefined;
  /** The protocol of ALPN that the server has chosen. */
  alpnProtocol: string | false = false;

  constructor({ socket, host = '', servername = host, rejectUnauthorized = true, ...options }: ConnectionOptions) {
    super();
    const fd = socket!.release();
    // RFC 6066, section 3: neither an address nor a final dot is part of a name that is sent.
    const name = (servername === '' ? host : servername).replace(/\.$/, '');
    const secure = () => {
      this.authorizationError = this.#layer.distrust;
      this.authorized = this.authorizationError === undefined;
      this.alpnProtocol = this.#layer.protocol;
      this.emit('secureConnect');
    };
    try {
      this.#layer = new TlsLayer(fd, {
        context: contextFor(options, rejectUnauthorized),
        name,
        isNamed: options.checkServerIdentity === undefined,
        sentName: isIP(name) === 0 ? name : '',
        isVerified: rejectUnauthorized,
        protocols: options.ALPNProtocols,
        onSecure: secure,
      });
    } catch (error) {
      sys.close(fd);
      throw error;
    }
    this.adopt(fd, this.#layer);
  }

  /** @param isDetailed whether each certificate has its issuer's. Empty before the handshake */
  getPeerCertificate(isDetailed = false): PeerCertificate {
    const chain = this.destroyed ? [] : this.#layer.chain;
    const [own = {} as PeerCertificate, ...issuers] = chain;
    if (!isDetailed) return own;
    let last = own;
    for (const issuer of issuers) {
      last.issuerCertificate = issuer;
      last = issuer;
    }
    return own;
  }
}
