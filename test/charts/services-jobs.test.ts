import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PHASES } from '../../src/catalog/index.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { filesOf, mainOf, SERVICE_CHARTS, serviceOf, textAt, WITHOUT_JOB } from './service-charts.ts';
import { rendering } from './support.ts';

describe("kolla-bootstrap accepts a chart's Job", { skip: (await canRunHelm()) ?? false, concurrency: 2 }, () => {
  for (const chart of SERVICE_CHARTS.filter((name) => !WITHOUT_JOB.has(name)))
    test(`${chart}: runs up to the connection to the database with the Job's arguments and configuration`, async () => {
      const service = serviceOf(chart);
      // Constant, because Helm's results are cached by their values.
      const port = 1;
      const server = { host: '127.0.0.1', port };
      const rabbitmq = { ...server, managementPort: port };
      await using helm = await rendering(chart);
      const rendered = await helm.render({ global: { endpoints: { mariadb: server, rabbitmq, keystone: server } } });
      const [job] = rendered.of('Job');
      assert.ok(job);
      const { command: [helper = '', ...words] = [], env = [] } = mainOf(job);

      await using directory = await privateDirectory('job');
      const config = join(directory.path, 'service.conf');
      await writeFile(config, textAt(filesOf(rendered, job), service.configFile ?? '') ?? '');
      const programs = PHASES.flatMap((phase) => service.migration.phases[phase] ?? []).map(({ argv }) => argv[0]);
      const bin = await stubs(join(directory.path, 'bin'), programs);
      const given = Object.fromEntries(env.map(({ name, value }) => [name, value ?? 'of-a-secret']));
      const more = ['--service-config', config, '--lock', 'row', '--timeout', '1s'];
      const { code, stderr } = await runHelper(helper, [...words, ...more], {
        env: { ...given, PATH: `${bin}:${process.env['PATH']}` },
      });
      assert.match(
        logLines(stderr).at(-1)?.msg ?? stderr,
        new RegExp(`waited 1s for the database server at 127.0.0.1:${port}`),
      );
      assert.equal(code, 75);
    });
});

/** Stubs that do nothing, because none of them is called. */
async function stubs(directory: string, names: readonly string[]): Promise<string> {
  await mkdir(directory);
  for (const name of names) {
    await writeFile(join(directory, name), '#!/bin/sh\nexit 1\n');
    await chmod(join(directory, name), 0o755);
  }
  return directory;
}
