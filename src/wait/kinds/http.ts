import { readFileSync } from 'node:fs';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { networkReason } from '../../net/network-error.ts';
import { requestOnce } from '../../net/request-once.ts';
import { endpointsHint, lookup, retry, unanswered } from '../retry.ts';
import type { UrlKind } from '../dependency.ts';
import { met, pending } from '../verdict.ts';

/** A GET that must get a response. Redirects are responses and are not followed, as in probes. */
function httpKind(word: 'http' | 'https'): UrlKind {
  return {
    form: 'url',
    word,
    aliases: [],
    means: 'a GET returns a status below 400; redirects are not followed',
    make: ({ url, isNegated }, { trust, self }) => ({
      hint: () => endpointsHint(url.hostname.replace(/^\[|\]$/g, ''), self),
      async wait(report, signal) {
        if (trust.caFile !== undefined) checkReadable(trust.caFile);
        return await retry(
          async (bounded) => {
            try {
              const { status } = await requestOnce(url, { signal: bounded, ...trust, lookup });
              return status < 400 ? met(`status ${status}`) : pending(`status ${status}`);
            } catch (error) {
              return unanswered(error, networkReason(error, trust.caFile));
            }
          },
          { isNegated, report, signal },
        );
      },
    }),
  };
}

export const http = httpKind('http');
export const https = httpKind('https');

function checkReadable(file: string): void {
  try {
    readFileSync(file);
  } catch (cause) {
    throw new ConfigError(`--ca-file ${file}: ${messageOf(cause)}`, { cause });
  }
}
