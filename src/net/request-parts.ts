import type { Address } from './dial/address.ts';
import { addressOf, basicLogin } from './url-parts.ts';

/** What a URL says about a request. */
export interface RequestParts {
  readonly to: Address;
  readonly isTls: boolean;
  /** Path and query. */
  readonly target: string;
  /** The headers that the request has in any case, by lower-case name; with the URL's login, if it has one. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * @param url http: or https:
 * @throws as basicLogin()
 */
export function requestParts(url: URL): RequestParts {
  const { protocol, host, pathname, search } = url;
  const isTls = protocol === 'https:';
  const login = basicLogin(url);
  return {
    to: addressOf(url),
    isTls,
    target: pathname + search,
    headers: {
      host,
      'user-agent': 'kolla-pod',
      ...(login === undefined ? {} : { authorization: login }),
    },
  };
}
