import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * Looks names up as Node does, and says EAI_AGAIN after so long: the system's resolver takes ten seconds and more for that when its
 * DNS servers are silent, and who gave up before could not tell them from a silent host.
 */
export function lookupWithin(ms: number, look: LookupFunction = lookup): LookupFunction {
  return (host, options, callback) => {
    let isOver = false;
    const end: typeof callback = (...found) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(late);
      callback(...found);
    };
    const late = setTimeout(() => end(silence(host), []), ms).unref();
    look(host, options, end);
  };
}

function silence(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no DNS server answers for ${host}`), { code: 'EAI_AGAIN' });
}
