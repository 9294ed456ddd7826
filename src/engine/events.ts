/** The part of `node:events` that kolla-core uses. */
interface Source {
  once(event: string, listener: (...given: unknown[]) => void): unknown;
  off(event: string, listener: (...given: unknown[]) => void): unknown;
}

/** What the next event of this name brings. Rejects with an error that comes before. */
export function once(source: Source, event: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const happened = (...given: unknown[]) => {
      source.off('error', failed);
      resolve(given);
    };
    const failed = (error: unknown) => {
      source.off(event, happened);
      reject(error);
    };
    source.once(event, happened);
    source.once('error', failed);
  });
}
