/** The peer sends more than the limit for one response. */
export class ResponseTooLargeError extends Error {
  override name = 'ResponseTooLargeError';

  constructor(maxBytes: number, what = 'a response', options?: ErrorOptions) {
    super(`${what} of more than ${sizeText(maxBytes)}`, options);
  }
}

function sizeText(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`;
}
