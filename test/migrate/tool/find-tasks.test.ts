import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, UsageError } from '../../../src/core/errors.ts';
import { findTasks, type Task, type TaskSources } from '../../../src/migrate/tool/index.ts';
import { isSameWork, newWork } from '../../../src/migrate/tool/recorded.ts';
import { serviceNamed, type Service } from '../../../src/catalog/index.ts';
import { privateDirectory } from '../../../tools/directory.ts';

const NOVA = '[DEFAULT]\ntransport_url = rabbit://o:r@h//\n[database]\nconnection = mysql://n:p@db/nova\n';

function named(name: string): Service {
  const service = serviceNamed(name);
  assert.ok(service);
  return service;
}

async function tasksOf(service: string, from: Partial<TaskSources> = {}, config = NOVA): Promise<readonly Task[]> {
  await using directory = await privateDirectory('tasks');
  const serviceConfig = join(directory.path, 'service.conf');
  await writeFile(serviceConfig, config);
  return await findTasks(named(service), { set: [], serviceConfig, sources: [], inherited: {}, ...from });
}

async function keystoneTask(inherited: NodeJS.ProcessEnv, given = {}): Promise<Task> {
  const [task] = await tasksOf('keystone', { inherited, given });
  assert.ok(task);
  return task;
}

test('a setting is substituted in arguments and in the pattern of our line', async () => {
  const [task] = await tasksOf('nova-cell', { set: ['cell=cell2'] });
  assert.deepEqual(task?.steps[0].argv.slice(-2), ['--name', 'cell2']);
  assert.ok(task && 'listed' in task.done);
  assert.deepEqual(task.done.listed.is, { name: 'cell2' });
});

test("each of Keystone's URLs must have a scheme and a host, since its tool stores any text", async () => {
  for (const one of ['PUBLIC', 'INTERNAL', 'ADMIN'])
    for (const text of ['keystone.example.com:5000/v3', 'keystone.example.com', 'https://', 'https://{name}:5000/v3'])
      await assert.rejects(
        keystoneTask({ OS_BOOTSTRAP_PASSWORD: 'p', [`OS_BOOTSTRAP_${one}_URL`]: text }),
        (error) =>
          error instanceof ConfigError &&
          error.message ===
            `OS_BOOTSTRAP_${one}_URL: '${text}' is not an http or https URL such as https://HOST:5000/v3`,
      );
  const own = 'https://keystone.example.com:5000/v3';
  const { shown } = await keystoneTask({ OS_BOOTSTRAP_PASSWORD: 'p', OS_BOOTSTRAP_PUBLIC_URL: own });
  assert.equal(shown['OS_BOOTSTRAP_PUBLIC_URL'], own);
});

test("the tool's own placeholders are kept", async () => {
  const [task] = await tasksOf('nova');
  assert.match(task?.steps[0].argv.at(-1) ?? '', /^\{scheme\}:.*\{query\}$/);
});

test('the tool gets exactly the values that are searched for', async () => {
  const [task] = await tasksOf('nova-cell');
  assert.deepEqual(task?.environment, {
    OS_DATABASE__CONNECTION: 'mysql://n:p@db/nova',
    OS_DEFAULT__TRANSPORT_URL: 'rabbit://o:r@h//',
  });
  assert.equal(task?.redact('at rabbit://o:r@h// with mysql://n:p@db/nova'), 'at *** with ***');
});

test('a $ is parsed and escaped as in oslo.config', async () => {
  const config = `${NOVA.replace(':p@', ':p$$$$w@').replace('@h', '@$my_ip')}[DEFAULT]\nmy_ip = h\n`;
  const [task] = await tasksOf('nova-cell', {}, config);
  assert.ok(task && 'listed' in task.done);
  assert.deepEqual(Object.values(task.done.wanted).toSorted(), ['mysql://n:p$w@db/nova', 'rabbit://o:r@h//']);
  assert.equal(task.environment['OS_DATABASE__CONNECTION'], String.raw`mysql://n:p\$w@db/nova`);
});

test('a variable of the tool takes precedence over the file', async () => {
  const [task] = await tasksOf('nova-cell', { inherited: { OS_DEFAULT__TRANSPORT_URL: 'rabbit://o:v$$@h//' } });
  assert.equal(task?.environment['OS_DEFAULT__TRANSPORT_URL'], String.raw`rabbit://o:v\$@h//`);
  assert.ok('listed' in task.done && Object.values(task.done.wanted).includes('rabbit://o:v$@h//'));
});

for (const [what, set, says] of [
  ['an unknown setting', 'cel=x', /nova-cell has no setting 'cel'.*did you mean 'cell'/],
  ['a setting without a value', 'cell=', /'cell=' is not NAME=VALUE/],
  ['an invalid word', 'cell', /'cell' is not NAME=VALUE/],
] as const) {
  test(`${what} is rejected`, async () => {
    await assert.rejects(tasksOf('nova-cell', { set: [set] }), (error: unknown) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, says);
      return true;
    });
  });
}

test('an unset option is reported with its file', async () => {
  await assert.rejects(tasksOf('nova-cell', {}, '[database]\nconnection = mysql://n:p@db/nova\n'), (error: unknown) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /service\.conf: \[DEFAULT\] transport_url is not set/);
    return true;
  });
});

test("a variable is read by its own name before the clients' name, from an option before the environment, and may be in a file", async () => {
  await using directory = await privateDirectory('secret');
  const file = join(directory.path, 'password');
  await writeFile(file, 'of-a-file\n');
  const names = async (...from: Parameters<typeof keystoneTask>) => {
    const { shown, secrets } = await keystoneTask(...from);
    return [secrets['OS_BOOTSTRAP_PASSWORD'], shown['OS_BOOTSTRAP_USERNAME'], shown['OS_BOOTSTRAP_REGION_ID']];
  };
  assert.deepEqual(await names({ OS_PASSWORD: 'a', OS_BOOTSTRAP_PASSWORD: 'b', OS_USERNAME: 'root' }), [
    'b',
    'root',
    'RegionOne',
  ]);
  assert.deepEqual(await names({ OS_PASSWORD: 'a', OS_REGION_NAME: 'here' }, { OS_PASSWORD: 'c' }), [
    'c',
    'admin',
    'here',
  ]);
  assert.deepEqual(await names({ OS_BOOTSTRAP_PASSWORD_FILE: file, OS_PASSWORD: 'a' }), [
    'of-a-file',
    'admin',
    'RegionOne',
  ]);
  assert.deepEqual(await names({}, { OS_PASSWORD_FILE: file }), ['of-a-file', 'admin', 'RegionOne']);
});

test('an unset required variable is reported as missing, not rejected: the task may be done', async () => {
  assert.match((await keystoneTask({})).lacks ?? '', /^OS_BOOTSTRAP_PASSWORD or .* must be set$/);
  assert.equal((await keystoneTask({ OS_PASSWORD: 'a' })).lacks, undefined);
});

test('the recorded hash of a task changes with a value or a password, contains neither, and fits its column', async () => {
  const task = await keystoneTask({ OS_PASSWORD: 'hunter2hunter2' });
  const work = newWork(task);
  assert.ok(work.length <= 64, work);
  assert.doesNotMatch(work, /hunter2/);
  assert.notEqual(newWork(task), work, 'salted');
  assert.ok(isSameWork(work, task));
  assert.ok(!isSameWork(work, await keystoneTask({ OS_PASSWORD: 'hunter3' })));
  assert.ok(
    !isSameWork(work, await keystoneTask({ OS_PASSWORD: 'hunter2hunter2', OS_BOOTSTRAP_PUBLIC_URL: 'http://k' })),
  );
});

test("Glance's definitions count as loaded if a full migration of the release has loaded them", async () => {
  const [task] = await tasksOf('glance');
  assert.ok(task && 'once' in task.done);
  assert.deepEqual(task.done.within, named('glance').migration.phases.all);
});
