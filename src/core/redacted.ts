import type { Redact } from './redact.ts';

/**
 * Runs the work and removes secrets from the errors it throws, because a server's error may quote a statement with a
 * password.
 */
export async function redacted<T>(redact: Redact, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) {
      error.message = redact(error.message);
      error.stack = redact(error.stack ?? '');
    }
    throw error;
  }
}
