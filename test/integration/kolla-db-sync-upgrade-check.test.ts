import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  canRunOpenstackTools,
  openstackTools,
  type OpenstackTools,
  type ToolOwner,
} from '../cluster/openstack-tools.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';

const skip = (await canRunOpenstackTools()) ?? false;

/** Checks of a service, by the library that all use. */
const CHECKS = `
import sys
from oslo_config import cfg
from oslo_upgradecheck import upgradecheck as u
class Checks(u.UpgradeCommands):
    def one(self):
        return u.Result(u.Code.WARNING, 'A sentence that is longer than the sixty characters of a line of the table.')
    def other(self):
        return u.Result(u.Code.SUCCESS)
    _upgrade_checks = (('Old records', one), ('New records', other))
sys.exit(u.main(cfg.ConfigOpts(), 'x', Checks()))
`;

describe("the upgrade check of a service's own tool", { skip }, () => {
  let tools: OpenstackTools;
  let place: Directory;
  before(async () => {
    tools = await openstackTools();
    place = await privateDirectory('upgrade-check');
  });
  after(async () => await place?.[Symbol.asyncDispose]());

  /** Its program is Python, since the tree is not at its place. */
  const statusOf = (owner: ToolOwner) => (configFile: string) => {
    const { command, args } = tools.manage(owner, configFile);
    return [command, ...args.map((word) => word.replace(/-manage$/, '-status')), 'upgrade', 'check'];
  };

  /** Runs it as a service of kolla-pod.yaml. */
  async function check(argvOf: (configFile: string) => readonly string[], conf: string, more: object = {}) {
    const [configFile, podFile, word] = ['x.conf', 'kolla-pod.yaml', 'word'].map((name) => join(place.path, name)) as [
      string,
      string,
      string,
    ];
    const phases = { all: [{ argv: ['true'] }] };
    const migration = { phases, upgradeCheck: { argv: argvOf(configFile), ...more } };
    const database = { name: 'x', url: [{ section: 'database', key: 'connection' }] };
    await writeFile(podFile, JSON.stringify({ services: { x: { configFile, databases: [database], migration } } }));
    await writeFile(configFile, conf);
    await writeFile(word, '');
    const args = ['upgrade-check', 'x', '--config', podFile, '--termination-log', word];
    const { code, stderr } = await runHelper('kolla-db-sync', args, { env: tools.env });
    return { code, stderr, word: await readFile(word, 'utf8') };
  }

  test('success leaves no message', async () => {
    const { code, word, stderr } = await check(statusOf('glance'), '[DEFAULT]\n');
    assert.deepEqual([code, word], [0, ''], stderr);
    assert.match(stderr, /Check: Sheepdog Driver Removal/);
  });

  test('a failure exits with 1, and its message has only what was found', async () => {
    const { code, word } = await check(statusOf('glance'), '[DEFAULT]\nowner_is_tenant = False\n');
    assert.equal(code, 1);
    assert.match(
      word,
      /^kolla-db-sync: python3 upgrade check: Config option owner_is_tenant removal: Failure: The "owner_is_tenant" option has been removed and there is no upgrade path for installations that had this option set to False\.\n$/,
    );
  });

  test('warnings pass, and are in the message', async () => {
    const script = join(place.path, 'x-status');
    await writeFile(script, CHECKS);
    const [python = ''] = statusOf('glance')('');
    const { code, word } = await check(() => [python, script, 'upgrade', 'check'], '');
    assert.equal(code, 0);
    assert.match(word, /upgrade check: Old records: Warning: A sentence that is longer than .* of the table\.\n$/);
    assert.doesNotMatch(word, /New records/);
  });

  test('a check that can not run names the reason, without the password of the database', async () => {
    const conf =
      '[api_database]\nconnection = mysql+pymysql://nova:s3cret-word@127.0.0.1:1/nova?read_timeout=s3cret-word\n';
    const { code, word, stderr } = await check(statusOf('nova'), conf.replace('api_database', 'database') + conf);
    assert.equal(code, 69);
    assert.match(word, /python3 upgrade check could not run, exit code 255: ValueError: /);
    assert.doesNotMatch(stderr + word, /s3cret/);
  });

  test('a known bug of the tool is a warning', async () => {
    const { code, word } = await check(statusOf('glance'), '[DEFAULT]\nlog_file\n', { broken: 'ConfigFileParseError' });
    assert.equal(code, 0);
    assert.match(word, /has a bug in this release, so it says nothing about the upgrade: .*ConfigFileParseError/);
  });
});
