import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KOLLA_USERS } from '../../../src/catalog/kolla-users.ts';
import { START_SCRIPT } from '../../../src/container/start/service.ts';
import { HELPERS } from '../../support/helper.ts';
import { inThrowAwayRoot, type Tree } from '../throw-away-root.ts';
import type { ExtendScript } from './images.ts';
import { COMMON, SETTINGS, type Setting } from './settings.ts';

/**
 * One start of one image, either as its service or with a variable that makes the script do something else and exit.
 */
export interface Outcome {
  readonly script: string;
  readonly user: string;
  readonly setting: Setting;
  /** The variable that is set, by default to an empty value; '' for the service in Debian's image. */
  readonly variable: string;
  readonly code: number;
  /** The calls of stubs in their order. */
  readonly ran: readonly string[];
  /** Why the start failed. */
  readonly reason: string;
}

const KOLLA_GID = 42_400;
const SWITCH = /\$\{!(KOLLA_[A-Z_]+)\[@\]\}/g;
const AT_ONCE = 4;

/** Starts every script's image without root, in each mode of the script. */
export async function runAll(docker: string, scripts: readonly ExtendScript[]): Promise<Outcome[]> {
  const texts = new Map<string, string>();
  for (const { files } of scripts)
    for (const file of files.values()) if (file !== '') texts.set(file, await readFile(join(docker, file), 'utf8'));
  const runs = scripts.flatMap((script) => {
    const text = texts.get(script.script) ?? '';
    const variables = [...text.matchAll(SWITCH)].map(([, name = '']) => name);
    const distros = text.includes('${KOLLA_BASE_DISTRO}') ? ['KOLLA_BASE_DISTRO=rocky'] : [];
    return ['', ...new Set(variables), ...distros].map((variable) => ({ script, variable }));
  });
  const outcomes: Outcome[] = [];
  const queue = [...runs.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, { script, variable }] = next;
      outcomes[at] = await start(script, variable, texts);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}

async function start(
  { script, image, user, files }: ExtendScript,
  variable: string,
  texts: ReadonlyMap<string, string>,
): Promise<Outcome> {
  const setting = SETTINGS[image] ?? {};
  const uid = idOf(user);
  const scripts = [...files].map(([path, file]) => [path.slice(1), texts.get(file) ?? ''] as const);
  const tree: Tree = {
    ...COMMON,
    ...ACCOUNTS,
    // A base image cannot start alone, because images based on it contain the files that it sources.
    ...Object.fromEntries(scripts.flatMap(([, text]) => sourced(text).map((path) => [path, '']))),
    ...Object.fromEntries(scripts),
    ...setting.files,
    'usr/local/bin/sudo': { text: `#!/bin/bash\nexec '${process.execPath}' '${HELPERS}' sudo "$@"\n`, mode: 0o755 },
    'run/kolla/run_command': 'service',
    'start.sh': START_SCRIPT,
  };
  const owned = (words: string) => {
    const [mode, group] = words.split(' ');
    return `uid=${uid},gid=${group === 'own' ? uid : KOLLA_GID},mode=${mode}`;
  };
  const { code, stdout, stderr } = await inThrowAwayRoot(START, {
    tree,
    uid,
    groups: [uid, KOLLA_GID],
    noNewPrivileges: true,
    volumes: {
      '/tmp': 'mode=1777',
      '/var/log/kolla': `uid=0,gid=${KOLLA_GID},mode=2777`,
      ...Object.fromEntries(Object.entries(setting.volumes ?? {}).map(([path, mode]) => [path, owned(mode)])),
    },
    env: { KOLLA_BASE_DISTRO: 'debian', ...setting.env, ...assigned(variable) },
  });
  const said = `${stderr}${stdout}`.split('\n');
  const ran = said.filter((line) => line.startsWith('ran: ')).map((line) => line.slice('ran: '.length).trim());
  const good = code === 0 && ran.includes('service') === isService(variable);
  const errors = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line !== '' && !/^(?:ran: |Running command)/.test(line));
  return { script, user, setting, variable, code, ran, reason: good ? '' : (errors.at(-1) ?? `exited with ${code}`) };
}

/** Like becomeService: bash's argument is the script's text, by which our sudo recognizes it. */
const START = `text=$(cat /start.sh; echo x); exec bash -c "\${text%x}" /usr/local/bin/kolla_start /run/kolla/run_command nobody ''`;

/** A variable that only describes the environment does not change what the start does. */
function isService(variable: string): boolean {
  return variable === '' || variable.includes('=');
}

function assigned(variable: string): NodeJS.ProcessEnv {
  const [name = '', value = ''] = variable.split('=');
  return name === '' ? {} : { [name]: value };
}

function sourced(text: string): string[] {
  return [...text.matchAll(/^\. \/(usr\/local\/bin\/kolla_\w+_extend_start)$/gm)].map(([, path = '']) => path);
}

function idOf(user: string): number {
  const id = KOLLA_USERS[user];
  if (id === undefined) throw new Error(`Kolla has no user ${user}`);
  return id;
}

const names = Object.entries(KOLLA_USERS);
const ACCOUNTS: Tree = {
  'etc/passwd': [
    'root:x:0:0:root:/root:/bin/bash',
    'www-data:x:33:33::/var/www:/usr/sbin/nologin',
    ...names.map(([name, id]) => `${name}:x:${id}:${id}::/var/lib/${name}:/usr/sbin/nologin`),
    '',
  ].join('\n'),
  'etc/group': [
    'root:x:0:',
    'www-data:x:33:',
    ...names.map(([name, id]) => `${name}:x:${id}:${name === 'kolla' ? names.map(([each]) => each).join(',') : ''}`),
    '',
  ].join('\n'),
};
