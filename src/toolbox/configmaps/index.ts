/**
 * kolla-pod configmaps: a folder of configuration as Kubernetes takes it.
 *
 *   DIR (config.json and its files, as kolla-ansible writes /etc/kolla/SERVICE) -> config.json read as kolla-init reads it
 *   -> collect: every file, links followed inside DIR, with the entries that take it
 *   -> secrecy: which of them hold credentials (rules), as the person says first (--secret, --plain)
 *   -> objects: a ConfigMap or Secret a file, or one of each (names: DNS names, a version's hash)
 *   -> YAML or JSON; or mounts: the volume in which kolla-init finds each `source` again; or why each is what it is
 *
 * No cluster is asked and nothing is written. 64: wrong words; 65: config.json or a file is wrong, or too large for
 * Kubernetes; 77: a file may not be read. No content is ever in an error or a log line.
 */
import { command } from '../../cli/command.ts';
import { outputOption } from '../../cli/output-option.ts';

export const configmaps = command({
  summary: 'Makes ConfigMaps and Secrets of a folder of configuration, as kolla-ansible generates it.',
  description:
    'One object a file: a Secret where the file holds credentials, or may. Names are versioned by content and the objects immutable, so that ' +
    'a new configuration rolls the Pods and the old one can be gone back to; --reload live keeps names, for kolla-init watch. No cluster is asked, ' +
    'nothing is written. The output holds secrets: pipe it to kubectl apply --server-side -f -.',
  operands: [{ name: 'DIR', help: 'the folder with config.json: /etc/kolla/keystone' }],
  options: [
    {
      flag: 'name',
      type: 'string',
      env: 'KOLLA_POD_CONFIGMAPS_NAME',
      help: "what the objects' names begin with; without it, the folder's name",
      example: 'keystone',
    },
    {
      flag: 'namespace',
      short: 'n',
      type: 'string',
      env: 'KOLLA_POD_CONFIGMAPS_NAMESPACE',
      help: 'the namespace to write into them; without it, the one that kubectl is at',
      example: 'openstack',
    },
    {
      flag: 'reload',
      type: 'choice',
      values: ['rolling', 'live'],
      env: 'KOLLA_POD_CONFIGMAPS_RELOAD',
      default: 'rolling',
      help: 'immutable objects under versioned names, or changing ones under fixed names',
      example: 'live',
    },
    {
      flag: 'bundle',
      type: 'choice',
      values: ['file', 'service'],
      env: 'KOLLA_POD_CONFIGMAPS_BUNDLE',
      default: 'file',
      help: 'an object for each file, or one ConfigMap and one Secret for all',
      example: 'service',
    },
    {
      flag: 'secret',
      type: 'string',
      repeat: true,
      env: 'KOLLA_POD_CONFIGMAPS_SECRET',
      help: 'files that hold credentials, whatever is found in them: a pattern for their names or, with a slash, paths; again for more',
      example: '*.xml',
    },
    {
      flag: 'plain',
      type: 'string',
      repeat: true,
      env: 'KOLLA_POD_CONFIGMAPS_PLAIN',
      help: 'files that hold none, whatever is found; --secret wins; again for more',
      example: 'policy.yaml',
    },
    {
      flag: 'exclude',
      type: 'string',
      repeat: true,
      env: 'KOLLA_POD_CONFIGMAPS_EXCLUDE',
      help: 'files to leave out, which come by another way; again for more',
      example: '*.bak',
    },
    {
      flag: 'mounts',
      type: 'boolean',
      env: 'KOLLA_POD_CONFIGMAPS_MOUNTS',
      help: 'instead of the objects, print the volume and the mount that bring them to kolla-init',
      example: 'true',
    },
    {
      flag: 'explain',
      type: 'boolean',
      env: 'KOLLA_POD_CONFIGMAPS_EXPLAIN',
      help: 'instead of the objects, say of each file what it becomes and why',
      example: 'true',
    },
    outputOption('KOLLA_POD_CONFIGMAPS_OUTPUT', 'yaml', 'documents, or one List'),
  ],
  examples: [
    {
      line: 'kolla-pod configmaps /etc/kolla/keystone -n openstack | kubectl apply --server-side -f -',
      does: 'a new version of the configuration, beside the old one',
    },
    { line: 'kolla-pod configmaps /etc/kolla/keystone --mounts', does: "what goes under the Deployment's volumes" },
    {
      line: 'kolla-pod configmaps /etc/kolla/keystone --explain',
      does: 'which files are Secrets, and why',
    },
    {
      line: "kolla-pod configmaps /etc/kolla/nova-api --reload live --bundle service --secret 'vendordata.json'",
      does: 'two objects under fixed names, for kolla-init watch',
    },
  ],
  async run(input, context) {
    // Only this command needs it: kolla-pod's others read no configuration.
    const { printConfigmaps } = await import('./print.ts');
    return await printConfigmaps(input.operands[0] ?? '', input.options, context);
  },
});
