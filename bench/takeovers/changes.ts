import { EVENT_LIMIT_MS } from '../../test/support/limits.ts';
/** Tells those that wait for something that something has changed. */
export interface Changes {
  tell(): void;
  /** Resolves once it is so, which is asked at each change. Rejects with NobodyDid at the deadline. */
  until(what: string, isSo: () => boolean, timeoutMs?: number): Promise<void>;
}

/** What was waited for did not come. */
export class NobodyDid extends Error {
  override name = 'NobodyDid';
}

export function changes(): Changes {
  const waiting = new Set<() => void>();
  return {
    tell() {
      for (const ask of waiting) ask();
    },
    async until(what, isSo, timeoutMs = EVENT_LIMIT_MS) {
      if (isSo()) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const ask = () => {
        if (isSo()) resolve();
      };
      const timer = setTimeout(() => reject(new NobodyDid(`waited ${timeoutMs / 1000} s for ${what}`)), timeoutMs);
      waiting.add(ask);
      try {
        await promise;
      } finally {
        waiting.delete(ask);
        clearTimeout(timer);
      }
    },
  };
}
