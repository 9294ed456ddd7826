import { parseMysqlUrl } from '../../mysql/index.ts';

/**
 * User info in a URL; each of several hosts may have one: `rabbit://u:p@a:5672,u:p@b:5672//`. A user may contain `@`, for
 * oslo.messaging a password too: the last `@` before the host counts.
 */
const ACCOUNT = /(:\/\/|,)([^:/,]*):([^@]*(?:@[^@,/?]*(?=@))*)@/g;

/** The URL without its passwords. */
export function shownUrl(url: string): string {
  return url.replaceAll(ACCOUNT, '$1$2:***@');
}

/** The passwords in a URL, encoded and decoded. */
export function passwordsIn(url: string): string[] {
  const found = [...url.matchAll(ACCOUNT)].map(([, , , password = '']) => password);
  return found.flatMap((password) => [password, decoded(password)]).filter((password) => password !== '');
}

/** Whether two URLs have the same server and path, whatever their logins. */
export function isSamePlace(one: string, other: string): boolean {
  return one === other || placeOf(one) === placeOf(other);
}

function placeOf(url: string): string {
  try {
    const { host, port, socket, database } = parseMysqlUrl(url);
    return JSON.stringify([socket ?? [host, port], database]);
  } catch {
    return url.replace(ACCOUNT, '$1').replace(/[?#].*$/, '');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
