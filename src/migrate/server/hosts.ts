import { UsageError } from '../../core/errors.ts';
import { formatAddress, parseAddress, type Address } from '../../net/dial/address.ts';
import { urlAs, urlAt } from '../../mysql/index.ts';
import { asOslo } from '../../oslo/value.ts';
import type { Credentials } from '../fence/account.ts';
import type { Source } from './target.ts';

/**
 * The same databases at the nodes of `--host` instead of the one in their URLs. A database on another server than the
 * first one stays there: the hosts are those of the first one's cluster.
 * @param hosts HOST[:PORT], or several separated by commas; the default port is the URL's. If there is none, nothing
 * changes.
 */
export function atHosts(sources: readonly [Source, ...Source[]], hosts: readonly string[]): [Source, ...Source[]] {
  const [{ target: first }] = sources;
  const places = hosts.flatMap((host) => host.split(',')).map((host) => placeOf(host.trim(), first.port));
  const moved = (source: Source): Source => {
    const isThere = source.target.host === first.host && source.target.port === first.port;
    return places.length === 0 || !isThere ? source : { ...source, target: { ...source.target, places } };
  };
  const [head, ...rest] = sources;
  return [moved(head), ...rest.map(moved)];
}

/**
 * Variables that direct the service's tool to the node in use, since it must not write through a node that was not
 * checked.
 */
export function environmentAt(sources: readonly Source[], place: Address): Record<string, string> {
  const moved = sources.filter(({ target }) => target.places !== undefined);
  const all = moved.flatMap(({ url, environment }) =>
    Object.keys(environment).map((name) => [name, asOslo(urlAt(url, place))]),
  );
  return Object.fromEntries(all) as Record<string, string>;
}

/** Variables that make the tool log in with that account on the node in use. */
export function environmentAs(sources: readonly Source[], place: Address, as: Credentials): Record<string, string> {
  const all = sources.flatMap(({ url, target, variables }) => {
    const at = target.places === undefined ? url : urlAt(url, place);
    return variables.map((name) => [name, asOslo(urlAs(at, as.user, as.password))]);
  });
  return Object.fromEntries(all) as Record<string, string>;
}

/** All forms of the database's URL that the tool may receive. They are secret. */
export function urlsOf({ url, target }: Source): string[] {
  const urls = [url, ...(target.places ?? []).map((place) => urlAt(url, place))];
  return [...new Set([...urls, ...urls.map(asOslo)])];
}

function placeOf(text: string, port: number): Address {
  const isAlone = /^(?:[^:\s/[\]]+|\[[^\]]+\])$/.test(text);
  try {
    return parseAddress(isAlone ? `${text}:${port}` : text);
  } catch {
    throw new UsageError(
      `--host: '${text}' is not HOST, HOST:PORT or [IPV6]:PORT, such as ${formatAddress({ host: 'mariadb-0', port })}`,
    );
  }
}
