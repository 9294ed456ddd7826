import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { pythonOf } from '../cluster/keystone-tree.ts';
import { canRunOpenstackTools, openstackTools } from '../cluster/openstack-tools.ts';
import { placementTree } from '../cluster/placement-tree.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { filesOf, workloadsOf } from './service-charts.ts';
import { rendering } from './support.ts';

interface Case {
  readonly chart: string;
  /** The files next to config.json. */
  readonly file: string;
  /** Files from Debian packages that were unpacked. */
  readonly tree: () => Promise<string>;
  /** The service's namespaces for oslo.config's generator. */
  readonly namespaces: readonly string[];
  /** Sections that the service defines at run time. */
  readonly made?: readonly string[];
  readonly tls?: true;
}

const TOOLS = async () => (await openstackTools()).directory;
const NOVA = { tree: TOOLS, namespaces: ['nova.conf'] };
const CASES: readonly Case[] = [
  { chart: 'nova', file: 'nova.conf', ...NOVA },
  { chart: 'nova-cell', file: 'nova.conf', ...NOVA },
  { chart: 'nova-compute', file: 'nova-compute.conf', ...NOVA },
  {
    chart: 'glance',
    file: 'glance-api.conf',
    tree: TOOLS,
    namespaces: ['glance.api', 'glance.store', 'glance.multi_store'],
    made: ['file', 'os_glance_tasks_store', 'os_glance_staging_store'],
  },
  { chart: 'placement', file: 'placement.conf', tree: placementTree, namespaces: ['placement.conf'] },
];

const withTls = (one: Case): Case => ({ ...one, tls: true });

/** Namespaces of libraries used by all services. */
const SHARED = [
  'oslo.cache',
  'oslo.concurrency',
  'oslo.db',
  'oslo.log',
  'oslo.messaging',
  'oslo.middleware',
  'oslo.policy',
  'oslo.service.service',
];
const LIBRARIES = [...SHARED, 'keystonemiddleware.auth_token'];

/** Options of Keystone's authentication plugins, valid in any section. region_name is not one: it depends on the section. */
const LOGIN = /^\w+\/(?:auth_type|auth_url|username|password|user_domain_name|project_name|project_domain_name)$/;
/** Options of releases later than Debian's. */
const LATER = new Set(['oslo_messaging_rabbit/rabbit_transient_quorum_queue', 'DEFAULT/manager_shutdown_timeout']);

/** Added to each file, because a validator that does not report this has checked nothing. */
const UNKNOWN = 'state_paht';

const reason = (await canRunHelm()) ?? (await canRunOpenstackTools());

describe('options in the files exist in the service', { skip: reason ?? false, concurrency: 2 }, () => {
  for (const { chart, file, tree, namespaces, made = [], tls } of [...CASES, ...CASES.map(withTls)])
    test(`${chart}: ${file}${tls ? ', with TLS' : ''}, by oslo.config's validator`, async () => {
      await using helm = await rendering(chart);
      const rendered = await helm.render({ global: { tls: { enabled: tls ?? false } } });
      const text = workloadsOf(rendered)
        .map((one) => filesOf(rendered, one).get(file))
        .find((one) => one !== undefined);
      await using directory = await privateDirectory('options');
      const input = join(directory.path, file);
      assert.match(text ?? '', /^\[DEFAULT\]/);
      await writeFile(input, `${text}\n[DEFAULT]\n${UNKNOWN} = 1\n`);
      const { command, env } = await pythonOf(await tree());
      const words = [
        ...[...namespaces, ...LIBRARIES].flatMap((name) => ['--namespace', name]),
        ...made.flatMap((section) => ['--exclude-group', section]),
      ];
      const { stderr } = await run(command, ['-m', 'oslo_config.validator', '--input-file', input, ...words], { env });
      const unknown = [...stderr.matchAll(/ERROR:root:(\S+) is not part of the sample config/g)].map(
        ([, option = '']) => option,
      );
      assert.deepEqual(
        unknown.filter((option) => !LOGIN.test(option) && !LATER.has(option)),
        [`DEFAULT/${UNKNOWN}`],
        stderr,
      );
    });
});
