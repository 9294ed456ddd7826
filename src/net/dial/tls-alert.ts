/** The server rejects our plain text with a TLS alert. */
export class TlsAlertError extends Error {
  override name = 'TlsAlertError';

  constructor() {
    super('the server answered with a TLS alert, so it requires TLS');
  }
}

/** Alert (21), and a version from TLS 1.0 to 1.3. No other protocol that we speak begins so. */
// eslint-disable-next-line no-control-regex
const ALERT = /^\u0015\u0003[\u0001-\u0004]/;

/** Whether a response begins with a TLS alert. @param text one character per byte */
export function isTlsAlert(text: string): boolean {
  return ALERT.test(text);
}
