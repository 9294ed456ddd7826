import { parseMysqlUrl } from '../../mysql/index.ts';

/** An account's password in a URL; of several hosts each may have one: `rabbit://u:p@a:5672,u:p@b:5672//`. */
const ACCOUNT = /(:\/\/|,)([^:@/,]*):([^@]*)@/g;

/** A URL as it may be shown. */
export function shownUrl(url: string): string {
  return url.replaceAll(ACCOUNT, '$1$2:***@');
}

/** The passwords in a URL, as they stand there and decoded. */
export function passwordsIn(url: string): string[] {
  const found = [...url.matchAll(ACCOUNT)].map(([, , , password = '']) => password);
  return found.flatMap((password) => [password, decoded(password)]).filter((password) => password !== '');
}

/** Whether two URLs lead to the same, whoever logs in there: the same server and path. */
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
