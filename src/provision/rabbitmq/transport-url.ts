import { parseAddress, type Address } from '../../net/dial/address.ts';

/** A parsed transport URL of oslo.messaging. */
export interface Transport {
  readonly hosts: readonly [Address, ...Address[]];
  readonly user: string;
  /** Never logged. */
  readonly password: string;
  readonly vhost: string;
}

const AMQP_PORT = 5672;

/**
 * Parses `rabbit://USER:PASSWORD@HOST:PORT,USER:PASSWORD@HOST:PORT/VHOST?...` like oslo.messaging: components are
 * percent-encoded, an IPv6 address is in brackets, and a missing or empty virtual host is `/`.
 * @throws RangeError with the problem, without the URL: it contains a password
 */
export function parseTransportUrl(text: string): Transport {
  const [, scheme = '', places = '', path = ''] = /^([^:/]+):\/\/([^/?]*)(?:\/([^?]*))?(?:\?[^]*)?$/.exec(text) ?? [];
  if (scheme === '') throw new RangeError('it is not a URL such as rabbit://USER:PASSWORD@HOST:5672/VHOST');
  if (!/^(?:rabbit|kombu\+\w+|amqps?)$/.test(scheme))
    throw new RangeError(`'${scheme}' is not RabbitMQ's scheme: it must start with rabbit://`);
  const hosts = places.split(',').map(hostOf);
  const accounts = places.split(',').map((place) => /^([^@:]*)(?::([^@]*))?@/.exec(place));
  const named = accounts.filter((account) => account !== null);
  const [first] = named;
  if (first === undefined || (first[1] ?? '') === '') throw new RangeError('it names no user');
  if (named.some((account) => account[1] !== first[1] || account[2] !== first[2])) {
    throw new RangeError('its hosts have different users or passwords');
  }
  const [, user = '', password = ''] = first;
  if (password === '') throw new RangeError('it has no password');
  return {
    hosts: hosts as [Address, ...Address[]],
    user: decoded(user),
    password: decoded(password),
    vhost: decoded(path) || '/',
  };
}

function hostOf(place: string): Address {
  const at = place.slice(place.lastIndexOf('@') + 1);
  if (/^[^@]*@[^@]*@/.test(place)) throw new RangeError('it has a second @: in a password it is written %40');
  if (at === '') throw new RangeError('it names no host');
  try {
    return parseAddress(/:\d+$/.test(at) ? at : `${at}:${AMQP_PORT}`);
  } catch {
    // Text without an account may be part of a password with a plain `/`, `?` or `,`.
    const shown = place.includes('@') ? ` '${at}'` : '';
    throw new RangeError(
      `its host and port${shown} are not HOST, HOST:PORT or [IPV6]:PORT; in a password, / ? , are written %2F %3F %2C`,
    );
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError('it has a % that is not part of %XX');
  }
}
