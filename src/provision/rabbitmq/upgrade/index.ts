/**
 * Upgrades of RabbitMQ itself, for its chart:
 *
 *   check    init container: the version of the node's data, this image's -> a supported upgrade, or an error before anything runs
 *   prepare  Job before an upgrade: the versions of all running nodes, this image's -> the same; then feature flags are enabled and
 *            policies of mirrored queues removed, over the management API
 *
 * Errors: an upgrade that RabbitMQ does not support (65), a node that does not run (69), a login (77), the deadline (75).
 */
import { command, type Command, type Context } from '../../../cli/command.ts';
import { ExitCode } from '../../../core/errors.ts';
import { CHECK_OPTIONS, PREPARE_OPTIONS } from './options.ts';

/** `kolla-bootstrap rabbitmq-check`: in the Pod of a node, before it starts. */
export const rabbitmqCheckCommand: Command = command({
  summary: "Checks that this image's RabbitMQ may start on a node's data.",
  description:
    'Compares the version that the node has run last with that of this image, and reads files only. An unsupported ' +
    'upgrade can migrate the data of a node before it fails, and leave it unusable for both versions. The version is that ' +
    "in --version-file, or at least the one that RabbitMQ's own list of feature flags proves. A node without data may " +
    'start.',
  operands: [],
  options: CHECK_OPTIONS,
  examples: [
    { line: 'kolla-bootstrap rabbitmq-check --node rabbit@host', does: 'with the data in /var/lib/rabbitmq/mnesia' },
    {
      line: 'kolla-bootstrap rabbitmq-check --node rabbit@host --data ./mnesia --version-file ./version',
      does: 'with data in another directory',
    },
  ],
  async run({ options }, context: Context) {
    const { checkData } = await import('./check.ts');
    checkData(options, context);
    return ExitCode.ok;
  },
});

/** `kolla-bootstrap rabbitmq-prepare`: in a Job of the new image, while the old one runs. */
export const rabbitmqPrepareCommand: Command = command({
  summary: "Prepares a running RabbitMQ cluster for this image's version.",
  description:
    'Fails for an upgrade that RabbitMQ does not support. Otherwise, if all nodes run one version, it enables all stable ' +
    'feature flags, from 4.0 to 4.2 khepri_db too, and before 4.0 removes what the policies say about mirrored queues, with ' +
    'which 4.0 does not start. For another patch release nothing is changed.',
  operands: [],
  options: PREPARE_OPTIONS,
  examples: [
    {
      line: 'kolla-bootstrap rabbitmq-prepare --rabbitmq-url http://rabbitmq:15672 --rabbitmq-admin-user openstack --rabbitmq-admin-password-file /run/secrets/rabbitmq-admin',
      does: 'in a container of the new image',
    },
    {
      line: 'kolla-bootstrap rabbitmq-prepare --rabbitmq-url https://rabbitmq:15672 --rabbitmq-admin-user openstack --timeout 10m',
      does: 'over TLS, with the password in KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD',
    },
  ],
  async run({ options }, context: Context) {
    const { prepareUpgrade } = await import('./prepare.ts');
    await prepareUpgrade(options, context);
    return ExitCode.ok;
  },
});
