import { defined } from '../../../core/defined.ts';

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
}

const URL_FORM =
  /^(?:(?<scheme>[a-z][a-z0-9+.-]*):\/\/)?(?:(?<user>[^@/?#]*)@)?(?<host>\[[0-9a-f:.]+\]|[^:/?#[\]]+)(?::(?<port>\d{0,5}))?(?<path>[/?#].*)?$/i;

/** Undefined for what is no such URL, or needs curl to say what it is. */
export function parseTarget(text: string): Target | undefined {
  const groups = URL_FORM.exec(text)?.groups;
  // Spaces and control characters in a path would end a header's line.
  // eslint-disable-next-line no-control-regex
  if (groups === undefined || /[\u0000-\u0020\u007f]/.test(text)) return undefined;
  const { scheme = 'http', user, host = '', port = '', path = '/' } = groups;
  const isTls = scheme.toLowerCase() === 'https';
  if (!isTls && scheme.toLowerCase() !== 'http') return undefined;
  // A percent sign is an escape there, and of a user alone curl asks a terminal for the password.
  if (user !== undefined && (user.includes('%') || !user.includes(':'))) return undefined;
  const standard = isTls ? 443 : 80;
  const number = port === '' ? standard : Number(port);
  if (number < 1 || number > 65_535) return undefined;
  const whole = path.replace(/#.*$/s, '');
  return {
    isTls,
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: number,
    // Bytes above ASCII go out as they are, which a head takes as characters of Latin-1.
    path: Buffer.from(whole.startsWith('/') ? whole : `/${whole}`).toString('latin1'),
    authority: number === standard ? host : `${host}:${number}`,
    ...defined({ user }),
  };
}
