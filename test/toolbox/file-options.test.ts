/**
 * Each option that names a file is given a missing one, a directory and an unreadable one. No person sees a system
 * code, a stack or a bug's exit code; where the file is the problem, the option and its variable are named.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandsOf } from '../../src/cli/command.ts';
import { ExitCode } from '../../src/core/errors.ts';
import { HELPERS as TABLES } from '../../src/toolbox/helpers.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { run, type Finished } from '../../tools/process.ts';
import { HELPERS, isOnCore } from '../support/helper.ts';

const OTHER = 65_533;
const NOBODY_LISTENS = '127.0.0.1:1';
const RAW = /\b(?:ENOENT|EISDIR|ENOTDIR|EACCES|scandir)\b|^\s+at .*:\d+:\d+/m;

/** What else a command needs to come to its files, by `HELPER COMMAND`. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'kolla-db-sync ': ['keystone', '--timeout', '1s'],
  'kolla-db-sync status': ['keystone', '--timeout', '1s'],
  'kolla-bootstrap plan': ['keystone'],
  'kolla-bootstrap status': ['keystone'],
  'kolla-bootstrap keys': ['create', 'keystone'],
  'kolla-bootstrap rabbitmq-check': ['--node', 'rabbit@x'],
  'kolla-bootstrap rabbitmq-prepare': [
    '--rabbitmq-url',
    `https://${NOBODY_LISTENS}`,
    '--rabbitmq-admin-user',
    'u',
    '--timeout',
    '1s',
  ],
  'kolla-init ': ['--timeout', '1s', '--wait', `https://${NOBODY_LISTENS}/`, '--wait', 'job/x'],
  'kolla-init check': [],
  'kolla-init plan': [],
  'kolla-init watch': ['--on-change', `http:POST https://${NOBODY_LISTENS}/`],
  'kolla-init restart': ['deployment/x'],
  'kolla-probe http': [`https://${NOBODY_LISTENS}/`],
  'kolla-probe tls': [],
  'kolla-probe mysql': [NOBODY_LISTENS, '--user', 'u'],
  'kolla-probe galera': [NOBODY_LISTENS, '--user', 'u'],
  'kolla-probe amqp': [NOBODY_LISTENS, '--user', 'u'],
  'kolla-probe rabbitmq': [NOBODY_LISTENS, '--user', 'u'],
  'kolla-probe redis': [NOBODY_LISTENS, '--user', 'u'],
  'kolla-probe grpc': [NOBODY_LISTENS],
  'kolla-probe db-sync': ['keystone'],
  'kolla-probe config': [],
  'kolla-probe log-ship': [],
  'kolla-log-ship ': ['--once', '--url', `https://${NOBODY_LISTENS}`],
  'kubernetes-entrypoint ': ['true'],
  'kolla-sidecar ': ['log-ship'],
  'kolla-operator ': [],
};

/** Commands with the options of another one, which are read by the same code. */
const SAME: Readonly<Record<string, string>> = {
  'kolla-db-sync ensure': 'kolla-db-sync ',
  'kolla-bootstrap ': 'kolla-bootstrap plan',
  'kolla-bootstrap delete': 'kolla-bootstrap plan',
  'kolla-log-ship setup': 'kolla-log-ship ',
};

const [UNREADABLE, SHUT] = ['an unreadable file', 'a directory below one that is shut'];

interface Given {
  readonly kind: string;
  readonly path: string;
}

async function prepared(directory: Directory): Promise<readonly Given[]> {
  const at = (name: string) => join(directory.path, name);
  await chmod(directory.path, 0o755);
  await mkdir(at('directory'));
  await writeFile(at('locked'), 'x', { mode: 0 });
  await mkdir(at('shut'), { mode: 0 });
  return [
    { kind: 'a missing file', path: at('none/file') },
    { kind: 'a directory', path: at('directory') },
    { kind: UNREADABLE, path: at('locked') },
    { kind: SHUT, path: at('shut/file') },
  ];
}

const asOther = ['setpriv', '--reuid', `${OTHER}`, '--regid', `${OTHER}`, '--clear-groups'];
const within = process.geteuid?.() === 0 ? asOther : [];

/** Runs Node as a user who may not read everything. */
function runAsOther(call: readonly string[], before: readonly string[] = []): Promise<Finished> {
  const words = [...within, ...before, process.execPath, ...call];
  const [command = '', ...args] = words;
  return run(command, args, { env: { PATH: process.env['PATH'] } });
}

const tried = await runAsOther(['--check', HELPERS]);
const skip = isOnCore
  ? 'kolla-core has no such tables'
  : tried.code === 0
    ? false
    : "other users can't read this clone";

/** The command that goes on with a file that it cannot use: it is ended, whatever it has come to by then. */
const ENDLESS = 'kolla-init watch';
/** The commands that do not name the option: those of checks, whose failures are results, and one like its original. */
const UNNAMED = /^kolla-probe (?!db-sync$)|^kubernetes-entrypoint |^kolla-sidecar /;

for (const helper of TABLES)
  for (const [name, { options }] of commandsOf(helper)) {
    const files = options.filter(({ type }) => type === 'path');
    if (files.length === 0) continue;
    const title = `${helper.name} ${name}`;
    if (SAME[title] !== undefined) continue;
    test(`${title}: ${files.map(({ flag }) => `--${flag}`).join(' ')}`, { skip }, async () => {
      await using directory = await privateDirectory('file-options');
      const words = WORDS[title];
      assert.ok(words !== undefined, `${title} is in no row of this test`);
      let named = 0;
      for (const { kind, path } of await prepared(directory))
        for (const { flag, env, help } of files) {
          if (kind === (help.startsWith('directory') ? UNREADABLE : SHUT)) continue;
          const call = [HELPERS, helper.name, ...(name === '' ? [] : [name]), ...words, `--${flag}`, path];
          const { code, stdout, stderr } = await runAsOther(call, title === ENDLESS ? ['timeout', '2'] : []);
          const said = `--${flag} ${kind}: ${code}\n${stdout}${stderr}`;
          assert.doesNotMatch(stdout + stderr, RAW, said);
          assert.notEqual(code, ExitCode.bug, said);
          if (!stderr.includes('; expected ')) continue;
          assert.ok(stderr.includes(`--${flag} or ${env}`), said);
          named++;
        }
      // Else the command did not come to its files.
      if (title !== ENDLESS) assert.equal(named > 0, !UNNAMED.test(title), `${named} errors name their option`);
    });
  }
