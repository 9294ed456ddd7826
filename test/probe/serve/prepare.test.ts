import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../../src/core/errors.ts';
import { readFileOptions } from '../../../src/cli/file.ts';
import { readChecks } from '../../../src/probe/serve/config.ts';
import { ALL_CHECKS } from '../../../src/probe/checks/index.ts';
import { prepareChecks } from '../../../src/probe/serve/prepare.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { listenHttp } from '../../support/server.ts';

async function prepared(yaml: string, inherited: NodeJS.ProcessEnv = {}, set = ALL_CHECKS) {
  await using directory = await privateDirectory('checks');
  const file = join(directory.path, 'kolla-pod.yaml');
  await writeFile(file, yaml);
  const podFile = readFileOptions(file, ['probe', 'serve'], [], [], []);
  const configs = readChecks(file, podFile.sectionOf('checks'));
  return await prepareChecks(configs, { log: recordedLog().log, inherited, podFile }, set);
}

async function refusal(run: string, more = ''): Promise<string> {
  let said = '';
  await assert.rejects(prepared(`checks: { x: { run: ${JSON.stringify(run)}${more} } }\n`), (error: Error) => {
    said = error.message.replace(/\S*kolla-pod\.yaml/, 'FILE');
    return error instanceof ConfigError;
  });
  return said;
}

test('the arguments of a check are parsed as on the command line', async () => {
  const [check] = await prepared('checks: { api: { run: "http http://127.0.0.1:9292/ --status 300" } }\n');
  assert.equal(check?.question.subject, 'http http://127.0.0.1:9292/');
});

test('an option comes from the arguments, else from the environment', async () => {
  await using server = await listenHttp((_, response) => void response.writeHead(300).end());
  const url = `http://127.0.0.1:${server.port}/`;
  const yaml = `checks: { a: { run: "http ${url}" }, b: { run: "http ${url} --status 200" } }\n`;
  const checks = await prepared(yaml, { KOLLA_PROBE_STATUS: '300' });
  const verdicts = await Promise.all(checks.map(({ question }) => question.ask(new AbortController().signal)));
  assert.deepEqual(
    verdicts.map(({ healthy }) => healthy),
    [true, false],
  );
});

for (const [run, message] of [
  ['htp http://a/', /^FILE: checks\.x: no check 'htp'; did you mean 'http'\?/],
  ['kolla-probe tcp a:1', /without kolla-probe/],
  ['http http://a/ --statuss 1', /^FILE: checks\.x: unknown option --statuss; did you mean '--status'\?/],
  ['http', /^FILE: checks\.x: URL is missing: http URL/],
  ['tcp a:1 b:2', /unexpected argument 'b:2'/],
  ['tcp nowhere', /'nowhere' is not HOST:PORT/],
  ['tcp a:1 --timeout 2s', /--timeout belongs next to run, as timeout:/],
  ['tcp a:1 --role=liveness', /--role belongs next to run, as for:/],
] as const) {
  test(`arguments that the command line rejects are rejected with the check's location: ${run}`, async () => {
    assert.match(await refusal(run), message);
  });
}

test('a liveness check of another Pod is rejected, unless allowed', async () => {
  const message =
    /checks\.x: tcp: 'tcp mariadb:3306' contacts mariadb, .*Use it for readiness, or set allow-remote: true/;
  assert.match(await refusal('tcp mariadb:3306', ', for: [readiness, liveness]'), message);
  const wanted = '{ run: "tcp mariadb:3306", for: liveness, allow-remote: true }';
  assert.equal((await prepared(`checks: { x: ${wanted} }\n`)).length, 1);
  assert.equal((await prepared('checks: { x: { run: "tcp 127.0.0.1:1", for: liveness } }\n')).length, 1);
});

for (const page of ['docs/reference/kolla-probe.md', 'k8s/examples/probe/pod.yaml']) {
  test(`the checks on ${page} are accepted as printed`, async () => {
    const text = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8');
    const [block = ''] = /^ *checks:\n(?: +\S.*\n)+/m.exec(text) ?? [];
    const indent = /^ */.exec(block)?.[0].length ?? 0;
    const checks = await prepared(block.replaceAll(new RegExp(`^ {${indent}}`, 'gm'), ''));
    assert.ok(checks.length >= 2, block);
    assert.ok(checks.some(({ roles }) => roles.includes('liveness')));
  });
}
