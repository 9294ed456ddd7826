/**
 * kolla-init plan: the Pod spec for a config.json.
 *
 *   CONFIG (and the image's content, with --image) -> read and validated -> planned -> YAML to paste, JSON for programs,
 *   or one line per entry
 *
 * Contacts no cluster and writes nothing. 65: the document is invalid, with all problems; 1: it is valid, and an entry
 * is impossible without root; 0 otherwise.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command, type Context } from '../../cli/command.ts';
import { outputOption } from '../../cli/output-option.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { table } from '../../cli/table.ts';
import { CONFIG_DIR } from '../../config/index.ts';
import type { EntryPlan, OwnerRule, PodPlan } from '../../config/volumes/index.ts';
import { followAt } from '../../fs/access.ts';
import { NAME_RULES } from '../../kube/names.ts';
import { FILE_OPTIONS } from './options.ts';
import { namesForOverlays } from './files.ts';
import { planYaml } from './plan-yaml.ts';
import { bringsCaCertificates, caVolumes } from '../start/index.ts';

const [CONFIG_DIR_OPTION] = FILE_OPTIONS;

const UNFOLDED_COLUMNS = 10_000;

export const planCommand = command({
  isForPeople: true,
  summary: 'Prints the volumes, mounts and securityContext of a non-root Pod for a config.json.',
  description:
    "Paste the YAML into a Deployment's Pod template; comments mark the values to fill in. Writes nothing " +
    'and contacts no cluster, so it runs wherever config.json is. Exits with 1 if an entry requires ' +
    'root, and names it.',
  operands: [
    {
      name: 'CONFIG',
      help: 'config.json, config.yaml or their directory (default: the file in --config-dir)',
      optional: true,
    },
  ],
  options: [
    CONFIG_DIR_OPTION,
    {
      flag: 'image',
      type: 'path',
      env: 'KOLLA_INIT_PLAN_IMAGE',
      help: "directory of the unpacked image (default: assume Kolla's own users)",
      details: 'Its users and the size of its content are read. Use / when run inside the image.',
      example: '/srv/images/keystone',
    },
    {
      flag: 'user',
      type: 'string',
      env: 'KOLLA_INIT_PLAN_USER',
      help: 'NAME, UID or UID:GID to run as (default: the most frequent owner)',
      example: 'keystone',
    },
    {
      flag: 'name',
      type: 'string',
      env: 'KOLLA_INIT_PLAN_NAME',
      help: 'name of the container and the ConfigMap (default: the user name)',
      example: 'keystone',
    },
    {
      flag: 'explain',
      type: 'boolean',
      env: 'KOLLA_INIT_PLAN_EXPLAIN',
      help: "print each entry's result and fix instead",
      example: 'true',
    },
    outputOption('KOLLA_INIT_PLAN_OUTPUT', 'yaml', 'output format; json includes the explanations'),
  ],
  examples: [
    { line: 'kolla-init plan config.json', does: "the Pod spec for a configuration, with Kolla's own users" },
    { line: 'kolla-init plan config.json --explain', does: 'how each entry is satisfied' },
    { line: 'kolla-init plan --image / -o json', does: 'inside the image, as JSON' },
  ],
  async run({ operands: [config], options }, context) {
    const { log, stdout, podFile } = context;
    if (options.name !== undefined && !NAME_RULES.label.is.test(options.name))
      throw new UsageError(
        `--name: '${options.name}' is not a valid container name: lower-case letters, digits and dashes`,
      );
    const isDirectory = config !== undefined && followAt(config)?.isDirectory() === true;
    const configDir = config === undefined ? options.configDir : isDirectory ? config : dirname(config);
    // Imported lazily, because only this command needs it.
    const { planPod } = await import('../../config/volumes/index.ts');
    const plan = await planPod({
      configDir,
      configFile: isDirectory ? undefined : config,
      imageRoot: options.image,
      user: options.user,
      name: options.name,
      more: (sources) => caDirectories(sources, configDir, options.image),
      initArguments: podFile === undefined ? [] : ['--config', `${CONFIG_DIR}/kolla-pod.yaml`],
      environment: await namesForOverlays(podFile),
    });
    if (options.output === 'json') stdout(`${JSON.stringify(asData(plan), undefined, 2)}\n`);
    else if (options.explain) stdout(explanation(plan, context));
    else if (plan.spec !== undefined && plan.problems.length === 0) stdout(planYaml(plan.spec, plan));
    for (const problem of plan.problems) log.error(`${plan.file}: ${problem}`);
    return plan.problems.length > 0 ? ExitCode.no : ExitCode.ok;
  },
});

/**
 * The directories of the image's CA store, if the deployment has certificates. If the image is unknown, those of
 * Debian.
 */
function caDirectories(sources: readonly string[], configDir: string, image: string | undefined): string[] {
  if (!bringsCaCertificates(sources) && !existsSync(join(configDir, 'ca-certificates'))) return [];
  return image === undefined ? ['/etc/ssl/certs', '/usr/local/share/ca-certificates'] : caVolumes(image);
}

/** The keys are an interface: see docs/reference/kolla-init.md. */
function asData({ file: config, user, entries, layout, spec, problems }: PodPlan): object {
  return {
    version: 1,
    config,
    satisfied: problems.length === 0,
    problems,
    user: user && { name: user.name, uid: user.uid, gid: user.gid, supplementalGroups: user.supplementalGroups },
    entries,
    mounts: layout.places,
    spec,
  };
}

function explanation({ entries }: PodPlan, { terminal }: Context): string {
  // One line per entry, so that it can be searched. A terminal wraps it.
  return table(
    terminal.isTerminal ? terminal : { ...terminal, width: UNFOLDED_COLUMNS },
    ['ENTRY', 'PATH', 'HOW'],
    entries.map((entry) => [entry.entry, entry.path, how(entry)]),
  );
}

const OWNER_IS: Readonly<Record<OwnerRule, string>> = {
  given: 'is given',
  'my user': "is the Pod's user",
  'my group': "is one of the Pod's groups",
  'in the place of root': "is root, in whose place the Pod's user has it",
  'readable by all': "is another; all may read it, so it may be the Pod's user's",
  'as the source': 'is any user',
};

function how({ mounts, seed, ownerIs, owner, mode, reload, problem }: EntryPlan): string {
  if (problem !== undefined) return `impossible: ${problem}`;
  const place = mounts.length === 0 ? "the image's own path is sufficient" : `mount ${mounts.join(', ')}`;
  const first = seed === true ? ", which has the image's content first" : '';
  const who = owner === undefined ? '' : `; owner ${owner} ${OWNER_IS[ownerIs ?? 'my user']}`;
  const when =
    reload === undefined ? '' : reload === 'live' ? '; changes are visible live' : '; changes need a restart';
  return `${place}${first}${who}; mode ${mode ?? 'as it is'}${when}`;
}
