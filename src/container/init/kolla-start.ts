/**
 * kolla_start: the command of every Kolla image.
 *
 *   after kolla-init: bash and the service; as root only if its command is on a read-only mount
 *   as root: set configs -> CA certificates -> bash and the service
 *   else: sudo does the first two from within that bash, as Kolla's sudoers allows
 *
 * Fails with the code of the failed step; there is nothing to undo.
 */
import { command, type Helper } from '../../cli/command.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { runSetConfigs } from '../../config/set-configs/helper.ts';
import { copyCertificates } from '../ca/copy-cacerts.ts';
import { areInBundle, becomeService, privilegeOf, sourcesOf, startFacts } from '../start/index.ts';

const main = command({
  summary: 'Installs the configuration, then executes the service.',
  description:
    "The command of Kolla's images: runs kolla_set_configs, kolla_copy_cacerts and, if present, " +
    'kolla_install_projects, then kolla_extend_start (unless KOLLA_SKIP_EXTEND_START is set), and ' +
    'replaces itself with the command of config.json (exec). Without root, or on a read-only mount, it reads the ' +
    'command from /run/kolla/run_command, written by kolla-init; if that file is missing, it installs the ' +
    'configuration through sudo.',
  operands: [{ name: 'WORD', help: 'passed to kolla_extend_start as "$@"', optional: true, many: true }],
  options: [],
  examples: [
    { line: 'kolla_start', does: 'in a Kolla image' },
    { line: 'kolla_start --log-format json', does: 'the same; errors before the service starts are JSON' },
  ],
  async run({ operands }, context) {
    const { signal, log, inherited } = context;
    const privilege = privilegeOf(startFacts(inherited['PATH'] ?? ''));
    if (privilege.by === 'nobody') sayWhatIsLeftOut(log);
    if (privilege.by === 'root') {
      const code = (await runSetConfigs([], inherited)) || (await copyCertificates(context));
      if (code !== 0) return code;
    }
    return await becomeService(privilege, operands, { inherited, signal, log });
  },
});

export const kollaStart: Helper = {
  name: 'kolla_start',
  summary: 'Installs the configuration, then executes the service.',
  main,
  commands: {},
};

/**
 * Warns about CA certificates that are not in the image's store, which cannot be changed without root: a service
 * without a CA certificate would fail much later.
 */
function sayWhatIsLeftOut(log: Log): void {
  try {
    const sources = sourcesOf('/');
    const { directory, files } = sources;
    if (files.size === 0 || areInBundle('/', sources)) return;
    const how =
      'let kolla-init prepare the store in a volume (docs/reference/kolla-contract.md), or put them into the image';
    log.warn(`the certificates in ${directory} are not added to the image's own: ${how}`);
  } catch (error) {
    log.warn(`cannot look for CA certificates: ${messageOf(error)}`);
  }
}
