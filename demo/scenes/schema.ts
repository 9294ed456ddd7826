import type { CommandLine, Keystone } from '../../test/cluster/keystone.ts';
import { must } from '../../tools/process.ts';
import { startHelper } from '../helper-process.ts';
import type { PodFiles } from '../pod-files.ts';
import type { Database } from '../servers.ts';
import type { Story } from '../story.ts';

/** Replaces the migration where Keystone is unavailable: the lock is real, the work is not. */
const STAND_IN: CommandLine = { command: 'sleep', args: ['3'], env: {} };

/** Two concurrent kolla-db-sync, as in two replicas: both must succeed, and the story shows which one waited. */
export async function syncSchema(
  story: Story,
  files: PodFiles,
  database: Database,
  keystone?: Keystone,
): Promise<void> {
  const child = keystone === undefined ? STAND_IN : manage(keystone, files, ['db_sync']);
  if (keystone === undefined) story.say('kolla-db-sync', 'without Keystone, `sleep 3` stands in for its migration');
  const replicas = ['db-sync A', 'db-sync B'].map(async (actor) => {
    let ended = story.begin(actor, 'ensures, migrates', 'work');
    const replica = await startHelper(story, {
      actor,
      name: 'kolla-db-sync',
      args: ['keystone', '--service-config', files.keystoneConf, '--', child.command, ...child.args],
      env: {
        ...child.env,
        KOLLA_DB_SYNC_ADMIN_USER: database.adminUser,
        KOLLA_DB_SYNC_ADMIN_PASSWORD: database.adminPassword,
      },
      onMessage(message) {
        if (!message.startsWith('waiting')) return;
        ended();
        ended = story.begin(actor, 'waits for the other', 'wait');
      },
    });
    const code = await replica.ended;
    if (code !== 0) throw new Error(`${actor} exited with code ${code}`);
    ended('ended well');
  });
  await Promise.all(replicas);
}

/** Keystone's initial setup, run by a Job in a cluster: keys, first user, catalog. */
export async function setUpKeystone(story: Story, files: PodFiles, keystone: Keystone): Promise<void> {
  const ended = story.begin('keystone-manage', 'keys and first user', 'work');
  const steps = [
    ['fernet_setup', '--keystone-user', user(), '--keystone-group', group()],
    ['credential_setup', '--keystone-user', user(), '--keystone-group', group()],
    ['bootstrap', '--bootstrap-public-url', 'http://127.0.0.1:5000/v3'],
  ];
  for (const step of steps) {
    const { command, args, env } = manage(keystone, files, step);
    await must(command, args, { env: { ...process.env, ...env, OS_BOOTSTRAP_PASSWORD: ADMIN_PASSWORD } });
    story.say('keystone-manage', `${step[0]} done`);
  }
  ended('keys, first user and catalogue are there');
}

function manage(keystone: Keystone, files: PodFiles, words: readonly string[]): CommandLine {
  const line = keystone.manage(files.keystoneConf);
  return { ...line, args: [...line.args, ...words] };
}

/** Password of the demo's own Keystone, which lives for a minute on loopback. */
export const ADMIN_PASSWORD = 'demo-admin-password';

function user(): string {
  return String(process.getuid?.() ?? 0);
}

function group(): string {
  return String(process.getgid?.() ?? 0);
}
