import { readFile } from 'node:fs/promises';
import { ConfigError, messageOf } from '../../cli/errors.ts';
import { requestOnce } from '../../platform/http.ts';
import { endpointsHint } from '../hint.ts';
import { retry } from '../retry.ts';
import type { MakeWaiter } from '../waiter.ts';

/** Waits until a GET answers with a status below 400. Redirects are an answer and are not followed, as with probes. */
export const http: MakeWaiter<'http'> = ({ text, url }, { caFile }) => ({
  text,
  hint: () => endpointsHint(url.hostname.replace(/^\[|\]$/g, '')),
  async wait(report, signal) {
    if (caFile !== undefined) await checkReadable(caFile);
    let status = 0;
    await retry(
      async (bounded) => {
        try {
          ({ status } = await requestOnce(url, { signal: bounded, caFile }));
          return status < 400 ? undefined : `status ${status}`;
        } catch (error) {
          return messageOf(error);
        }
      },
      report,
      signal,
    );
    return `status ${status}`;
  },
});

async function checkReadable(file: string): Promise<void> {
  try {
    await readFile(file);
  } catch (cause) {
    throw new ConfigError(`--ca-file ${file}: ${messageOf(cause)}`, { cause });
  }
}
