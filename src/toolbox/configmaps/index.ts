/**
 * kolla-pod configmaps: a configuration directory as Kubernetes objects.
 *
 *   DIR (config.json and its files, as kolla-ansible writes /etc/kolla/SERVICE) -> config.json read as by kolla-init
 *   -> collect: every file, links followed inside DIR, with the entries that install it
 *   -> secrecy: files with credentials (rules), after the user's decisions (--secret, --plain)
 *   -> objects: a ConfigMap or Secret per file, or one of each (names: DNS names, a version's hash)
 *   -> YAML or JSON; or mounts: the volume in which kolla-init finds each `source`; or the reasons
 *
 * Contacts no cluster and writes nothing. 64: invalid arguments; 65: config.json or a file is invalid, or too large for
 * Kubernetes; 77: a file is unreadable. No content is ever in an error or a log line.
 */
import { command } from '../../cli/command.ts';
import { outputOption } from '../../cli/output-option.ts';

export const configmaps = command({
  summary: 'Converts a configuration directory, as kolla-ansible generates it, to ConfigMaps and Secrets.',
  description:
    'One object per file: a Secret if the file contains or may contain credentials. Names are versioned by ' +
    'content and the objects immutable, so that a new configuration triggers a rollout and the old one can be ' +
    'restored; --reload live keeps names, for kolla-init watch. Contacts no cluster and writes no files. ' +
    'The output contains secrets: pipe it to kubectl apply --server-side -f -.',
  operands: [{ name: 'DIR', help: 'directory with config.json, such as /etc/kolla/keystone' }],
  options: [
    {
      flag: 'name',
      type: 'string',
      env: 'KOLLA_POD_CONFIGMAPS_NAME',
      help: "prefix of the objects' names (default: the directory's name)",
      example: 'keystone',
    },
    {
      flag: 'namespace',
      short: 'n',
      type: 'string',
      env: 'KOLLA_POD_CONFIGMAPS_NAMESPACE',
      help: "namespace of the objects (default: kubectl's namespace)",
      example: 'openstack',
    },
    {
      flag: 'reload',
      type: 'choice',
      values: ['rolling', 'live'],
      env: 'KOLLA_POD_CONFIGMAPS_RELOAD',
      default: 'rolling',
      help: 'delivery of changed files: new objects or live updates',
      details:
        'rolling: immutable objects with versioned names, so that a change triggers a rollout; live: objects with fixed names, which the kubelet updates in place.',
      example: 'live',
    },
    {
      flag: 'bundle',
      type: 'choice',
      values: ['file', 'service'],
      env: 'KOLLA_POD_CONFIGMAPS_BUNDLE',
      default: 'file',
      help: 'one object per file, or two in total',
      details: 'file: one object per file; service: one ConfigMap and one Secret for all files.',
      example: 'service',
    },
    {
      flag: 'secret',
      type: 'string',
      repeat: true,
      env: 'KOLLA_POD_CONFIGMAPS_SECRET',
      help: 'pattern for files that contain credentials',
      details: 'Matched against names or, with a slash, against paths, regardless of content.',
      example: '*.xml',
    },
    {
      flag: 'plain',
      type: 'string',
      repeat: true,
      env: 'KOLLA_POD_CONFIGMAPS_PLAIN',
      help: 'pattern for files without credentials',
      details: 'Applies regardless of content; --secret takes precedence.',
      example: 'policy.yaml',
    },
    {
      flag: 'exclude',
      type: 'string',
      repeat: true,
      env: 'KOLLA_POD_CONFIGMAPS_EXCLUDE',
      help: 'pattern for files to leave out',
      example: '*.bak',
    },
    {
      flag: 'mounts',
      type: 'boolean',
      env: 'KOLLA_POD_CONFIGMAPS_MOUNTS',
      help: 'print volume and mount for kolla-init instead',
      example: 'true',
    },
    {
      flag: 'explain',
      type: 'boolean',
      env: 'KOLLA_POD_CONFIGMAPS_EXPLAIN',
      help: "print each file's object and the reason instead",
      example: 'true',
    },
    outputOption('KOLLA_POD_CONFIGMAPS_OUTPUT', 'yaml', 'output format: YAML documents, or one List'),
  ],
  examples: [
    {
      line: 'kolla-pod configmaps /etc/kolla/keystone -n openstack | kubectl apply --server-side -f -',
      does: 'a new version of the configuration, next to the old one',
    },
    { line: 'kolla-pod configmaps /etc/kolla/keystone --mounts', does: 'the volumes and mounts for a Deployment' },
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
    // Imported lazily: the other commands read no configuration.
    const { printConfigmaps } = await import('./print.ts');
    return await printConfigmaps(input.operands[0] ?? '', input.options, context);
  },
});
