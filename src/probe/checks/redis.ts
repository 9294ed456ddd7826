import { formatAddress } from '../../net/dial/address.ts';
import { check } from '../ask/check.ts';
import { answered, serverOf } from '../remote/server.ts';
import { checkLogin, LOGIN_OPTIONS, readLogin } from '../remote/login.ts';
import { TLS_OPTIONS, tlsOf } from '../remote/tls.ts';

const PORT = 6379;

/**
 * Checks that Redis, Valkey or a Sentinel responds to PING with PONG. A server does not respond while it loads its
 * data, nor does a replica without its primary.
 */
export const redis = check({
  word: 'redis',
  summary: 'Checks that Redis or Valkey responds to PING.',
  description:
    'Also works with Sentinel. Logs in first if a password is given (as the default user without --user). ' +
    'Unhealthy: a server that is still loading, a replica that has lost its primary and serves no ' +
    'clients, and a server that cannot save to disk.',
  operands: [{ name: 'HOST[:PORT]', help: 'address, IPv6 in brackets (default port: 6379)' }],
  options: [...LOGIN_OPTIONS, ...TLS_OPTIONS],
  examples: [
    {
      line: 'kolla-probe redis 127.0.0.1 --password-file /run/secrets/valkey',
      does: 'log in as the default user and send PING',
    },
    { line: 'kolla-probe redis 127.0.0.1:26379', does: 'for a Sentinel without a password' },
  ],
  prepare({ operands: [text = ''], options }) {
    const at = serverOf('redis', text, PORT);
    const tls = tlsOf('redis', options);
    checkLogin('redis', options);
    return {
      subject: `redis ${formatAddress(at)}`,
      hosts: [at.host],
      ask: (signal, tell = () => {}) =>
        answered(async () => {
          const login = await readLogin(options);
          const { converse } = await import('../../net/dial/conversation.ts');
          const { redisPing } = await import('../../net/protocols/redis.ts');
          using talk = await converse(at, { signal, tls });
          return await redisPing(talk, login, tell);
        }, tls),
    };
  },
});
