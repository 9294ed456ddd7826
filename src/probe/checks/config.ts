import { check } from '../check.ts';
import { configQuestion } from '../local/config.ts';

/** Is what lies in place the ConfigMap's newest version? By the word that kolla-init watch leaves. */
export const config = check({
  word: 'config',
  summary: "Is the ConfigMap's newest version in place?",
  description:
    'Asks the record that kolla-init watch (or the sidecar) leaves below /run/kolla, on a volume that both containers have. Unhealthy, with ' +
    "the reason, when a version was refused or could not be put in place; and when the ConfigMap's volume has moved on for " +
    'longer than --within without being looked at, as when the watch has died.',
  operands: [],
  options: [
    {
      flag: 'within',
      type: 'duration',
      env: 'KOLLA_PROBE_WITHIN',
      default: '3m',
      help: 'a new version may take so long to come into place',
      example: '90s',
    },
    {
      flag: 'config-dir',
      type: 'path',
      env: 'KOLLA_PROBE_CONFIG_DIR',
      default: '/var/lib/kolla/config_files',
      help: 'where the ConfigMap is mounted; where it is not, the record alone speaks',
      example: '/config',
    },
    {
      flag: 'root',
      type: 'path',
      env: 'KOLLA_PROBE_ROOT',
      default: '/',
      help: 'the root that kolla-init watch was given',
      example: '/target',
    },
  ],
  examples: [
    { line: 'kolla-probe config', does: 'healthy while the newest version is in place' },
    { line: 'kolla-probe config --root ./tree --config-dir ./config', does: "on a developer's machine" },
  ],
  prepare({ options: { within: withinMs, configDir, root } }) {
    return configQuestion({ root, configDir, withinMs }, 'config');
  },
});
