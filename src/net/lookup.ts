import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * Resolves names like Node, with EAI_AGAIN after a timeout: the system's resolver takes ten seconds and more when its
 * DNS servers are silent, and an abort before that could not distinguish silent DNS servers from a silent host.
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
