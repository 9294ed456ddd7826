import { networkReason, plainReason } from '../../net/dial/network-error.ts';
import { requestOnce, statusReason } from '../../net/request-once.ts';
import { checkCaFile } from '../dependency/ca-file.ts';
import { endpointsHint, retry, unanswered } from '../dependency/retry.ts';
import type { UrlKind } from '../dependency/dependency.ts';
import { met, pending } from '../dependency/verdict.ts';

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
        checkCaFile(trust.caFile);
        return await retry(
          async (bounded) => {
            try {
              const { status } = await requestOnce(url, { signal: bounded, ...trust });
              return status < 400 ? met(`status ${status}`) : pending(statusReason(status, url));
            } catch (error) {
              const reason = word === 'http' ? plainReason(error, 'use https://') : networkReason(error, trust.caFile);
              return unanswered(error, reason);
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
