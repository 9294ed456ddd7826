import { formatAddress, type Address } from '../net/dial/address.ts';
import { defined } from '../core/defined.ts';
import { tlsOf, type MysqlTls } from './url-tls.ts';

/** Address of a server, with credentials and database. */
export interface MysqlTarget {
  readonly host: string;
  readonly port: number;
  /** Nodes of one cluster, which are tried in this order instead of host and port. */
  readonly places?: readonly Address[];
  /** A Unix socket that is used instead of host and port. */
  readonly socket?: string;
  readonly user: string;
  /** Never logged. */
  readonly password: string;
  readonly database: string;
  readonly tls?: MysqlTls;
}

const DEFAULT_PORT = 3306;
const SCHEME = /^(?:mysql|mariadb)(?:\+\w+)?$/;

/**
 * Parses an SQLAlchemy URL: `mysql+pymysql://user:p%40ss@host:3306/database?charset=utf8`, with IPv6 in brackets,
 * `unix_socket=`, and TLS as in tlsOf().
 * @throws RangeError with what is missing or wrong, without the URL: it may contain a password
 */
export function parseMysqlUrl(text: string): MysqlTarget {
  const [, scheme = '', rest = ''] = /^([^:/]*):\/\/([^]*)$/.exec(text) ?? [];
  if (scheme === '') throw new RangeError('it is not a URL such as mysql+pymysql://USER:PASSWORD@HOST/DATABASE');
  if (!SCHEME.test(scheme))
    throw new RangeError(`'${scheme}' is not a scheme of MySQL or MariaDB: the URL must start with mysql+pymysql://`);
  if (/\s/.test(rest)) throw new RangeError('it has a space or a line break, which a URL writes %20 or %0A');
  const [, user = '', password = '', place = '', path = '', query = ''] =
    /^(?:([^:/@]*)(?::([^@]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?([^]*))?$/.exec(rest) ?? [];
  // SQLAlchemy would treat the rest of the password as the host name: the service could not use this URL either.
  if (place.includes('@')) throw new RangeError('it has a second @: in a password it is written %40');
  const database = decoded(path);
  if (user === '') throw new RangeError('it names no user');
  if (database === '') throw new RangeError('it names no database: it ends with /DATABASE');
  const parameters = parametersOf(query);
  const socket = parameters.get('unix_socket');
  const tls = tlsOf(parameters);
  return {
    ...placeOf(place),
    ...defined({ socket, tls }),
    user: decoded(user),
    password: decoded(password),
    database,
  };
}

/** The target's address in messages: `host:port`, several of them, or the socket. */
export function placeOfTarget(target: Pick<MysqlTarget, 'host' | 'port' | 'socket' | 'places'>): string {
  return target.socket ?? (target.places ?? [target]).map(formatAddress).join(', ');
}

/** One target for each of the places. */
export function placesOf(target: MysqlTarget): MysqlTarget[] {
  const { places, ...rest } = target;
  if (places === undefined || rest.socket !== undefined) return [rest];
  return places.map(({ host, port }) => ({ ...rest, host, port }));
}

/** The same target, with the place that has just accepted a connection as the first. */
export function preferring(target: MysqlTarget, { host, port }: Address): MysqlTarget {
  if (target.places === undefined) return target;
  const others = target.places.filter((place) => place.host !== host || place.port !== port);
  return others.length === target.places.length ? target : { ...target, places: [{ host, port }, ...others] };
}

/** The URL with another server. */
export function urlAt(url: string, place: Address): string {
  return url.replace(/^([^:/]*:\/\/(?:[^:/@]*(?::[^@]*)?@)?)[^/?]*/, (_, head: string) => head + formatAddress(place));
}

/** The URL with another account. */
export function urlAs(url: string, user: string, password: string): string {
  const account = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return url.replace(/^([^:/]*:\/\/)(?:[^:/@]*(?::[^@]*)?@)?/, (_, head: string) => head + account);
}

function placeOf(place: string): { host: string; port: number } {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[^:]*))(?::(?<port>\d*))?$/.exec(place);
  if (match === null) throw new RangeError('its host and port are not HOST, HOST:PORT or [IPV6]:PORT');
  const { v6, host, port = '' } = match.groups ?? {};
  const number = port === '' ? DEFAULT_PORT : Number(port);
  if (number < 1 || number > 65_535) throw new RangeError(`its port ${port} is not one from 1 to 65535`);
  return { host: v6 ?? (host === undefined || host === '' ? 'localhost' : decoded(host)), port: number };
}

/** Decodes like Python: a stray `%` and a `+` are kept, and invalid UTF-8 becomes U+FFFD. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}

function parametersOf(query: string): Map<string, string> {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const [, key = '', value = ''] = /^([^=]*)=?([^]*)$/.exec(pair) ?? [];
      return [decoded(key), decoded(value.replaceAll('+', ' '))];
    }),
  );
}
