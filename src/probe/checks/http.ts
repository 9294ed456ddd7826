import { UsageError } from '../../core/errors.ts';
import { clientOf, trustOfUrl } from '../../cli/tls-option.ts';
import { check } from '../ask/check.ts';
import { URL_TLS_OPTIONS } from '../remote/tls.ts';
import { healthyAs, unhealthy } from '../ask/verdict.ts';

/**
 * Checks that a GET returns a status below 400. Redirects count as responses and are not followed, as in Kolla's curl.
 */
export const http = check({
  word: 'http',
  summary: 'Checks that a GET returns an expected status.',
  description:
    'Any status below 400 is healthy unless --status sets the expected one. Redirects are not followed. ' +
    'The body, or its first 64 KiB, must be received too.',
  operands: [{ name: 'URL', help: 'http:// or https://' }],
  options: [
    {
      flag: 'status',
      type: 'integer',
      env: 'KOLLA_PROBE_STATUS',
      help: 'expected status (default: any below 400)',
      example: '300',
    },
    ...URL_TLS_OPTIONS,
  ],
  examples: [
    { line: 'kolla-probe http http://127.0.0.1:5000/v3', does: 'healthy if Keystone responds' },
    {
      line: 'kolla-probe http http://127.0.0.1:9292/ --status 300',
      does: 'Glance returns its list of versions with status 300',
    },
  ],
  async prepare({ operands: [text = ''], options: { status: wanted, ...tls } }) {
    const url = urlOf(text);
    const trust = trustOfUrl(tls, url, url.origin, 'http: ');
    const client = clientOf(tls, url.protocol === 'https:', 'http: ');
    // Loaded lazily: node:https costs half of Node's start time, which a TCP probe need not pay.
    const { requestOnce, statusReason } = await import('../../net/request-once.ts');
    return {
      // The query is removed: it may contain a token, and the subject appears in logs and on the status page.
      subject: `http ${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`,
      hosts: [url.hostname],
      async ask(signal, tell = () => {}) {
        try {
          const isGood = (status: number) => (wanted === undefined ? status < 400 : status === wanted);
          const awaitsBody = (status: number) => {
            tell(`status ${status}, but the response does not end`);
            return isGood(status);
          };
          const { status } = await requestOnce(url, { signal, ...trust, ...client, awaitsBody });
          return isGood(status) ? healthyAs(`status ${status}`) : unhealthy(statusReason(status, url));
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          const { networkReason, plainReason } = await import('../../net/dial/network-error.ts');
          const isPlain = url.protocol === 'http:';
          return unhealthy(isPlain ? plainReason(error, 'use https://') : networkReason(error, trust.caFile));
        }
      },
    };
  },
});

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    // An invalid URL may still contain a password.
    throw new UsageError(`http: ${text.includes('@') ? 'that' : `'${text}'`} is not an http:// or https:// URL`);
  if (url.password !== '')
    throw new UsageError('http: a password in a URL would be visible in the process list; leave it out');
  return url;
}
