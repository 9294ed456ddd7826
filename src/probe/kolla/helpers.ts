import type { ExitCode } from '../../core/errors.ts';
import { command, type Example, type Helper, type Operand } from '../../cli/command.ts';
import type { KollaName } from './variables.ts';

interface Text {
  readonly summary: string;
  readonly description: string;
  readonly operands: readonly Operand[];
  readonly examples: readonly [Example, Example, ...Example[]];
}

const PROCESS: Operand = { name: 'PROCESS', help: 'process name; surrounding spaces are ignored' };
const PORT: Operand = { name: 'PORT', help: 'port; one match is enough', many: true };
const DEADLINE = 'Times out after KOLLA_PROBE_TIMEOUT (5s).';

const TEXTS: Readonly<Record<KollaName, Text>> = {
  healthcheck_curl: {
    summary: "Checks that a URL returns a status below 400, with the output of Kolla's script.",
    description:
      "Sends the same request as Kolla's script: does not verify certificates, follow redirects or read " +
      'configuration files. Unlike the script, it never uses a proxy. Reads HEALTHCHECK_CURL_MAX_TIME (10), ' +
      '_USER_AGENT, _WRITE_OUT and _OUTPUT. Prints the write-out line; on failure it exits with 1 and prints ' +
      "curl's exit code on stderr. With arguments other than a URL and -u USER:PASSWORD it executes the " +
      "image's curl, or exits with 127 if there is none.",
    operands: [{ name: 'WORD', help: "curl's options and the URL (default scheme: http)", many: true }],
    examples: [
      { line: 'healthcheck_curl http://127.0.0.1:5000', does: 'any status below 400 is healthy' },
      {
        line: 'healthcheck_curl -u probe:hidden 127.0.0.1:9292/healthcheck',
        does: 'with user and password, without a scheme',
      },
    ],
  },
  healthcheck_port: {
    summary: 'Checks for an established connection of a process to a port.',
    description: `The port must match exactly; connections that are being opened, or that the peer has closed, do not count. ${DEADLINE}`,
    operands: [PROCESS, PORT],
    examples: [
      { line: 'healthcheck_port nova-compute 5672', does: 'healthy while nova-compute is connected to the broker' },
      {
        line: "healthcheck_port 'neutron-l3-agent ' 5672 5671",
        does: 'either port; the name as written by kolla-ansible',
      },
    ],
  },
  healthcheck_listen: {
    summary: 'Checks that a process listens on a port.',
    description: `The port must match exactly, TCP or UDP. ${DEADLINE}`,
    operands: [PROCESS, PORT],
    examples: [
      { line: 'healthcheck_listen sshd 8022', does: 'for the nova_ssh container' },
      { line: 'healthcheck_listen named 53', does: 'TCP or UDP' },
    ],
  },
  healthcheck_socket: {
    summary: 'Checks that a process listens on a Unix socket.',
    description: `A socket file left over from a process that has exited is unhealthy. ${DEADLINE}`,
    operands: [PROCESS, { name: 'PATH', help: 'path of the socket' }],
    examples: [
      { line: 'healthcheck_socket libvirtd /run/libvirt/libvirt-sock', does: 'healthy while libvirtd listens there' },
      { line: 'healthcheck_socket ovsdb-server /run/openvswitch/db.sock', does: 'for Open vSwitch' },
    ],
  },
  healthcheck_filemod: {
    summary: 'Checks that a file was modified recently.',
    description:
      'Follows symbolic links. Unhealthy if the file is missing or not a regular file, or if arguments are missing.',
    operands: [
      { name: 'FILE', help: 'file to check' },
      { name: 'SECONDS', help: 'maximum age in seconds' },
    ],
    examples: [
      {
        line: 'healthcheck_filemod /var/lib/kolla/heartbeat 120',
        does: 'healthy if modified within the last two minutes',
      },
      { line: 'healthcheck_filemod "/var/lib/my service/alive" 60', does: 'spaces are part of the name' },
    ],
  },
  healthcheck_mariadb: {
    summary: 'Checks that this Galera node is synced.',
    description:
      'Like the `galera` check, requires the node to be Synced, ready, and in the Primary component. Logs in as ' +
      'MYSQL_USERNAME (haproxy), with MYSQL_PWD or MYSQL_PASSWORD, over the local socket (MYSQL_UNIX_PORT) ' +
      'or to MYSQL_HOST and MYSQL_TCP_PORT. Reads no option file. Times out after KOLLA_PROBE_TIMEOUT (10s).',
    operands: [],
    examples: [
      { line: 'healthcheck_mariadb', does: 'in the database container, over the local socket' },
      { line: 'healthcheck_mariadb --help', does: 'print the variables' },
    ],
  },
  healthcheck_rabbitmq: {
    summary: 'Checks that this RabbitMQ node accepts clients.',
    description:
      'Runs the `rabbitmq` check against the listener configured in /etc/rabbitmq/rabbitmq.conf (or ' +
      'RABBITMQ_NODE_IP_ADDRESS and _PORT), without starting Erlang. Checks alarms and virtual hosts ' +
      'only with KOLLA_PROBE_MANAGEMENT, KOLLA_PROBE_USER and KOLLA_PROBE_PASSWORD(_FILE). Prints ' +
      'nothing on stdout. ' +
      DEADLINE,
    operands: [],
    examples: [
      { line: 'healthcheck_rabbitmq', does: "in the broker's container" },
      { line: 'healthcheck_rabbitmq --help', does: 'print the variables' },
    ],
  },
};

/**
 * The table of one name, for help, docs and completion.
 * @param run passed by the caller: an import here would load the checks of all names for each of them
 */
export function helperOf(
  name: KollaName,
  run: (argv: readonly string[], env: NodeJS.ProcessEnv) => Promise<ExitCode>,
): Helper {
  const { summary, ...text } = TEXTS[name];
  const main = command({
    summary,
    ...text,
    options: [],
    run: ({ operands }, { inherited }) => run(operands, inherited),
  });
  return { name, summary, main, commands: {}, takesNoOptions: true, isGuest: true };
}
