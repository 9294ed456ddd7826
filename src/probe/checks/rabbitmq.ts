import { reasonOf, UsageError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { trustOfUrl } from '../../cli/tls-option.ts';
import { formatAddress } from '../../net/dial/address.ts';
import { check } from '../ask/check.ts';
import { LOGIN_OPTIONS } from '../remote/login.ts';
import { AMQP_TLS_OPTIONS } from '../remote/tls.ts';
import { AMQP_OPTIONS, askBroker, brokerAt, checkBroker, hostsOf, modeAt } from '../remote/broker.ts';
import { healthyAs, unhealthy, type Question } from '../ask/verdict.ts';
import { recordVersion } from '../../rabbitmq/data.ts';
import { IMAGE_DIRECTORY, imageVersion } from '../../rabbitmq/version.ts';

/**
 * The equivalent of the six diagnostics of Kolla's healthcheck_rabbitmq, without starting Erlang six times: the node
 * runs and its port accepts clients (ping, status, check_running, check_port_connectivity: by AMQP); no alarm is in
 * effect and every virtual host is up (check_local_alarms, check_virtual_hosts: by the management API).
 */
export const rabbitmq = check({
  word: 'rabbitmq',
  summary: 'Checks that this RabbitMQ node accepts clients and has no alarm.',
  description:
    'Uses AMQP like the `amqp` check and, with --management, the management API as well: a memory or disk ' +
    'alarm, which blocks publishers, or a virtual host that is down is unhealthy, with the reason. For ' +
    'the API the user needs a tag such as `management`. A RabbitMQ 4 node without a quorum passes all of that, ' +
    'but clients hang: only --declare detects it. Use it for readiness.',
  operands: [
    { name: 'HOST[:PORT]', help: 'address, IPv6 in brackets, or amqps://HOST (default port: 5672, or 5671 with TLS)' },
  ],
  options: [
    {
      flag: 'management',
      type: 'string',
      env: 'KOLLA_PROBE_MANAGEMENT',
      help: "URL of this node's management API",
      example: 'http://127.0.0.1:15672',
    },
    {
      flag: 'version-file',
      type: 'path',
      env: 'KOLLA_PROBE_VERSION_FILE',
      help: "file for this image's version, once the node is healthy",
      details:
        "On the node's volume, for `kolla-bootstrap rabbitmq-check`. A file that cannot be written is reported in the log, and " +
        'does not change the verdict.',
      example: '/var/lib/rabbitmq/version',
    },
    {
      flag: 'image',
      type: 'path',
      env: 'KOLLA_PROBE_RABBITMQ_IMAGE',
      default: IMAGE_DIRECTORY,
      help: "directory with this image's rabbitmq_server-VERSION",
      example: '/opt/rabbitmq/lib',
    },
    ...LOGIN_OPTIONS,
    ...AMQP_OPTIONS,
    {
      flag: 'allow-rejected-login',
      type: 'boolean',
      env: 'KOLLA_PROBE_ALLOW_REJECTED_LOGIN',
      help: 'accept a broker that rejects the login',
      details: 'Otherwise a password that is being changed makes every node unhealthy. The reason is logged.',
      example: 'true',
    },
    ...AMQP_TLS_OPTIONS,
  ],
  examples: [
    {
      line: 'kolla-probe rabbitmq 127.0.0.1 --management http://127.0.0.1:15672 --user openstack --password-file /run/secrets/rabbitmq',
      does: 'as the administrator: check login, alarms and virtual hosts',
    },
    {
      line: 'kolla-probe rabbitmq 127.0.0.1',
      does: 'without a login: check that the broker handles connections, but not alarms',
    },
    {
      line: 'kolla-probe rabbitmq 127.0.0.1 --declare --user openstack --password-file /run/secrets/rabbitmq --timeout 5s',
      does: 'for readiness: check that clients can declare queues, for which a cluster needs a quorum',
    },
  ],
  prepare({ operands: [text = ''], options }, { log }) {
    const management = options.management === undefined ? undefined : managementOf(options.management);
    // The management API's URL decides whether TLS is used for the API. A CA bundle without --tls may be meant for it.
    const isApiTls = management?.protocol === 'https:';
    const trust = isApiTls
      ? trustOfUrl(options, management, `--management ${management.origin}`, 'rabbitmq: ')
      : { insecure: false };
    const isApiOnly = isApiTls && options.tls === undefined && modeAt('rabbitmq', text) === 'off';
    const { at, tls } = brokerAt('rabbitmq', text, isApiOnly ? { ...options, caFile: undefined } : options);
    checkBroker('rabbitmq', options);
    if (management !== undefined && options.user === undefined) {
      throw new UsageError('rabbitmq: --management needs a login: give --user and --password-file');
    }
    if (options.allowRejectedLogin && (options.user === undefined || management !== undefined)) {
      throw new UsageError('rabbitmq: --allow-rejected-login is for a check with --user and without --management');
    }
    let told: string | undefined;
    const accept = (says: string) => {
      const accepted = `${says}; nothing else was checked: correct --user or --password-file`;
      if (says !== told) log.warn(`rabbitmq ${formatAddress(at)}: ${accepted}`);
      told = says;
      return { isGood: true, says: accepted };
    };
    const whenRejected = options.allowRejectedLogin ? { whenRejected: accept } : {};
    const { versionFile, image } = options;
    const question: Question = {
      subject: `rabbitmq ${formatAddress(at)}`,
      hosts: [...hostsOf(at, options), ...(management === undefined ? [] : [management.hostname])],
      async ask(signal, tell) {
        const byAmqp = askBroker({ at, tls, options, greeting: false, ...whenRejected }, signal, tell);
        if (management === undefined) return await byAmqp;
        const { askManagement } = await import('../remote/management.ts');
        const verdicts = await Promise.all([byAmqp, askManagement({ url: management, options, trust }, signal)]);
        const reasons = verdicts.filter((verdict) => !verdict.healthy).map(({ reason }) => reason);
        return reasons.length === 0
          ? healthyAs('running, no alarm, every virtual host is up')
          : unhealthy(reasons.join('; '));
      },
    };
    return versionFile === undefined ? question : recording(question, { file: versionFile, image }, log);
  },
});

/** Records the image's version once the node is healthy. */
function recording(question: Question, { file, image }: { file: string; image: string }, log: Log): Question {
  let isDone = false;
  let told: string | undefined;
  return {
    ...question,
    async ask(signal, tell) {
      const verdict = await question.ask(signal, tell);
      if (!verdict.healthy || isDone) return verdict;
      try {
        recordVersion(file, imageVersion(image));
        isDone = true;
      } catch (error) {
        const text = `the version of this RabbitMQ is not recorded in ${file}: ${reasonOf(error)}`;
        if (text !== told) log.warn(text);
        told = text;
      }
      return verdict;
    },
  };
}

function managementOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // An invalid URL may still contain a password.
    const shown = text.includes('@') ? '' : ` '${text}'`;
    throw new UsageError(`rabbitmq: --management${shown} is not an http:// or https:// URL`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'rabbitmq: --management: credentials in a URL would be visible to others; give --user and --password-file',
    );
  }
  return url;
}
