import { CurlError } from './failure.ts';

/** Where a URL leads, as curl reads it: without a scheme it is http, and its path goes out as it is written. */
export interface Target {
  readonly isTls: boolean;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** With query, without fragment. */
  readonly path: string;
  /** For the Host header: the port only where it is not the scheme's. */
  readonly authority: string;
  readonly user?: string;
  /** As it may be shown: without user and password. */
  readonly shown: string;
}

const URL_FORM =
  /^(?:(?<scheme>[a-z][a-z0-9+.-]*):\/\/)?(?:(?<user>[^@/?#]*)@)?(?<host>\[[0-9a-f:.]+\]|[^:/?#[\]]+)(?::(?<port>\d{0,5}))?(?<path>[/?#].*)?$/i;

/** @throws CurlError 1 for another protocol, 3 for what is no URL */
export function parseTarget(text: string): Target {
  const groups = URL_FORM.exec(text)?.groups;
  // Blanks and control characters in a path would end a header's line.
  // eslint-disable-next-line no-control-regex
  if (groups === undefined || /[\u0000-\u0020\u007f]/.test(text)) throw new CurlError(3, 'not a URL');
  const { scheme = 'http', user, host = '', port = '', path = '/' } = groups;
  const isTls = scheme.toLowerCase() === 'https';
  if (!isTls && scheme.toLowerCase() !== 'http') throw new CurlError(1, `protocol ${scheme} is not supported`);
  const standard = isTls ? 443 : 80;
  const number = port === '' ? standard : Number(port);
  if (number < 1 || number > 65_535) throw new CurlError(3, `no port ${port}`);
  const authority = number === standard ? host : `${host}:${number}`;
  const whole = path.replace(/#.*$/s, '');
  const wire = encoded(whole.startsWith('/') ? whole : `/${whole}`);
  return {
    isTls,
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: number,
    path: wire,
    authority,
    shown: `${isTls ? 'https' : 'http'}://${authority}${wire}`,
    ...(user === undefined ? {} : { user: decoded(user) }),
  };
}

/** Bytes above ASCII go out as they are, which node takes as characters of Latin-1. */
function encoded(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function decoded(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    throw new CurlError(3, "not a URL: a '%' in its user that escapes nothing");
  }
}
