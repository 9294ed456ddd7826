import { waitingFor } from '../../test/support/open-waits.ts';

/** Tells those that wait for something that something has changed. */
export interface Changes {
  tell(): void;
  /** Resolves once it is so, which is asked at each change. @param explain what the watchdog should print if it never is */
  until(what: string, isSo: () => boolean, explain?: () => Promise<string>): Promise<void>;
}

export function changes(): Changes {
  const waiting = new Set<() => void>();
  return {
    tell() {
      for (const ask of waiting) ask();
    },
    async until(what, isSo, explain) {
      if (isSo()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const ask = () => {
        if (isSo()) resolve();
      };
      waiting.add(ask);
      await waitingFor(what, promise, explain).finally(() => waiting.delete(ask));
    },
  };
}
