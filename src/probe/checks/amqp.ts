import { UsageError } from '../../core/errors.ts';
import { formatAddress } from '../../net/dial/address.ts';
import { check } from '../ask/check.ts';
import { LOGIN_OPTIONS } from '../remote/login.ts';
import { AMQP_TLS_OPTIONS } from '../remote/tls.ts';
import { AMQP_OPTIONS, askBroker, brokerAt, checkBroker, hostsOf } from '../remote/broker.ts';

/** Checks that a broker accepts AMQP 0-9-1 connections and, with a login, opens the virtual host. */
export const amqp = check({
  word: 'amqp',
  summary: 'Checks that an AMQP broker accepts connections and logins.',
  description:
    'With a login: performs the handshake, logs in and opens the virtual host like a service, then closes. ' +
    'Without one: checks that the broker accepts and closes a connection. This fails if the broker is frozen, ' +
    'and leaves no entry in its log. --greeting also waits for the AMQP greeting, but then the broker logs two ' +
    'warnings per check. Only --declare detects that RabbitMQ 4 has lost its quorum.',
  operands: [
    { name: 'HOST[:PORT]', help: 'address, IPv6 in brackets, or amqps://HOST (default port: 5672, or 5671 with TLS)' },
  ],
  options: [
    ...LOGIN_OPTIONS,
    ...AMQP_OPTIONS,
    {
      flag: 'greeting',
      type: 'boolean',
      env: 'KOLLA_PROBE_GREETING',
      help: 'wait for the AMQP greeting, without a login',
      details: 'The broker logs two warnings per check.',
      example: 'true',
    },
    ...AMQP_TLS_OPTIONS,
  ],
  examples: [
    { line: 'kolla-probe amqp 127.0.0.1', does: 'healthy if a broker handles connections; a frozen one is unhealthy' },
    {
      line: 'kolla-probe amqp amqps://rabbitmq --ca-file /etc/ssl/ca.pem',
      does: 'healthy if a broker handles connections over TLS, and its certificate is trusted',
    },
    {
      line: 'kolla-probe amqp 127.0.0.1 --user nova --password-file /run/secrets/rabbitmq',
      does: 'healthy if the broker accepts the login of a service and opens the virtual host /',
    },
    {
      line: 'kolla-probe amqp 127.0.0.1 --user nova --password-file /run/secrets/rabbitmq --declare --timeout 5s',
      does: 'healthy if the service can declare a queue: the cluster has a quorum',
    },
  ],
  prepare({ operands: [text = ''], options }) {
    const { at, tls } = brokerAt('amqp', text, options);
    checkBroker('amqp', options);
    if (options.greeting && options.user !== undefined) {
      throw new UsageError('amqp: --greeting is for a check without a login; with one it is always awaited');
    }
    return {
      subject: `amqp ${formatAddress(at)}`,
      hosts: hostsOf(at, options),
      ask: (signal, tell) => askBroker({ at, tls, options, greeting: options.greeting }, signal, tell),
    };
  },
});
