/**
 * A name that cannot be resolved. The code is the one that Node uses: ENOTFOUND if the name does not exist or has no
 * address, EAI_AGAIN if that is unknown because the DNS servers fail or are silent.
 */
export class ResolveError extends Error {
  override name = 'ResolveError';
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN';
  readonly hostname: string;
  /** The reason, without the name. */
  readonly reason: string;

  constructor(code: ResolveError['code'], hostname: string, reason: string, options?: ErrorOptions) {
    super(`cannot resolve ${hostname}: ${reason} (${code})`, options);
    this.code = code;
    this.hostname = hostname;
    this.reason = reason;
  }
}
