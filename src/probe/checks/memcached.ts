import { formatAddress } from '../../net/dial/address.ts';
import { check } from '../ask/check.ts';
import { answered, serverOf } from '../remote/server.ts';

const PORT = 11_211;

/** Checks that memcached reports its version, which it does not if it is frozen or out of connections. */
export const memcached = check({
  word: 'memcached',
  summary: 'Checks that memcached responds.',
  description:
    "Requests memcached's version, which needs no login and touches no data. TLS, UDP and SASL are not supported.",
  operands: [{ name: 'HOST[:PORT]', help: 'address, IPv6 in brackets (default port: 11211)' }],
  options: [],
  examples: [
    { line: 'kolla-probe memcached 127.0.0.1', does: 'healthy if memcached reports its version' },
    { line: 'kolla-probe memcached [::1]:11211', does: 'the same over IPv6' },
  ],
  prepare({ operands: [text = ''] }) {
    const at = serverOf('memcached', text, PORT);
    return {
      subject: `memcached ${formatAddress(at)}`,
      hosts: [at.host],
      ask(signal, tell = () => {}) {
        const version = async () => {
          tell('it does not report its version: it may be frozen, or unreachable');
          const { ASK_VERSION, understandVersion } = await import('../../net/protocols/greetings.ts');
          const { exchange } = await import('../../net/dial/conversation.ts');
          return await exchange({ at, say: ASK_VERSION, understand: understandVersion, signal });
        };
        return answered(version, undefined, 'use the check tls');
      },
    };
  },
});
