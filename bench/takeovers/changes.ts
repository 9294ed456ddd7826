import { waitingFor } from '../../test/support/open-waits.ts';

/** Notifies waiters of changes. */
export interface Changes {
  tell(): void;
  /**
   * Resolves once the condition holds; it is checked at each change. @param explain diagnostics for the watchdog if it
   * never does
   */
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
