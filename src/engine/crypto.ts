/** The part of `node:crypto` that kolla-core uses. Digests of files are src/engine/digest.ts, which needs no TLS library. */
import { isKeyOf, type PrivateKey } from './tls/trust.ts';
import { X509Certificate as Certificate } from './x509/peer.ts';

export { createHash, hash } from './hash.ts';

export class X509Certificate extends Certificate {
  readonly #pem: string;

  /** @throws RangeError with the problem */
  constructor(pem: string) {
    super(pem);
    this.#pem = pem;
  }

  /** Whether the certificate has this key. @throws RangeError for a text that is no key */
  checkPrivateKey(key: PrivateKey): boolean {
    return isKeyOf(this.#pem, key);
  }
}

/** For checkPrivateKey(), which says whether it is one. */
export function createPrivateKey(pem: string): PrivateKey {
  return { pem };
}
