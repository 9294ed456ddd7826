import { defined } from '../../../core/defined.ts';

/** The target of a URL as curl reads it: the default scheme is http, and the path is sent as written. */
export interface Target {
  readonly isTls: boolean;
  /** The host without brackets. */
  readonly host: string;
  readonly port: number;
  /** The path with the query, but without the fragment. */
  readonly path: string;
  /** For the Host header: contains the port only if it differs from the scheme's default. */
  readonly authority: string;
  readonly user?: string;
}

const URL_FORM =
  /^(?:(?<scheme>[a-z][a-z0-9+.-]*):\/\/)?(?:(?<user>[^@/?#]*)@)?(?<host>\[[0-9a-f:.]+\]|[^:/?#[\]]+)(?::(?<port>\d{0,5}))?(?<path>[/?#].*)?$/i;

/** Undefined if it is another kind of URL, or if curl must report the error. */
export function parseTarget(text: string): Target | undefined {
  const groups = URL_FORM.exec(text)?.groups;
  // Spaces and control characters in a path would end the header line.
  // eslint-disable-next-line no-control-regex
  if (groups === undefined || /[\u0000-\u0020\u007f]/.test(text)) return undefined;
  const { scheme = 'http', user, host = '', port = '', path = '/' } = groups;
  // curl encodes such a name.
  if (/[\u0080-\uffff]/.test(host)) return undefined;
  const isTls = scheme.toLowerCase() === 'https';
  if (!isTls && scheme.toLowerCase() !== 'http') return undefined;
  // In the user part a percent sign starts an escape. Without a password, curl prompts for it on the terminal.
  if (user !== undefined && (user.includes('%') || !user.includes(':'))) return undefined;
  const standard = isTls ? 443 : 80;
  const number = port === '' ? standard : Number(port);
  if (number < 1 || number > 65_535) return undefined;
  const whole = path.replace(/#.*$/s, '');
  return {
    isTls,
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: number,
    // Bytes above ASCII are sent unchanged, as Latin-1 characters in the head.
    path: Buffer.from(whole.startsWith('/') ? whole : `/${whole}`).toString('latin1'),
    authority: number === standard ? host : `${host}:${number}`,
    ...defined({ user }),
  };
}
