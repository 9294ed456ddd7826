import { refusalOf, tryDial } from '../../net/dial/dial.ts';
import { check } from '../ask/check.ts';
import { addressOf } from '../remote/server.ts';
import { healthy, unhealthy } from '../ask/verdict.ts';

/** Checks that HOST:PORT accepts a TCP connection within the deadline, regardless of the server behind it. */
export const tcp = check({
  word: 'tcp',
  summary: 'Checks that a TCP connection is accepted.',
  operands: [{ name: 'HOST:PORT', help: 'address; IPv6 in brackets' }],
  options: [],
  examples: [
    { line: 'kolla-probe tcp mariadb:3306', does: 'healthy if port 3306 accepts connections' },
    { line: 'kolla-probe tcp [::1]:11211 --timeout 300ms', does: 'with IPv6 and a shorter deadline' },
  ],
  prepare({ operands: [target = ''] }) {
    const address = addressOf('tcp', target);
    return {
      subject: `tcp ${target}`,
      hosts: [address.host],
      async ask(signal) {
        const refusal = await tryDial(address, signal);
        return refusal === undefined ? healthy : unhealthy(refusalOf(refusal, target));
      },
    };
  },
});
