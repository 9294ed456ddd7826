/** The peer does not speak HTTP/2, or breaks its rules. */
export class Http2Error extends Error {
  override name = 'Http2Error';
  /** Whether it said nothing of HTTP/2 before. */
  readonly isOtherProtocol: boolean;

  constructor(what: string, isOtherProtocol = false) {
    super(isOtherProtocol ? `the server does not speak HTTP/2: ${what}` : `the server breaks HTTP/2: ${what}`);
    this.isOtherProtocol = isOtherProtocol;
  }
}
