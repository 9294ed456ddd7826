import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, test } from 'node:test';
import { kindOf } from '../../src/logship/formats/index.ts';
import { osloOption } from '../../src/oslo/ini.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { configJsonOf, filesOf, podYamlOf, SERVICE_CHARTS, textAt, workloadsOf } from './service-charts.ts';
import { rendering, type KubeObject, type Rendered } from './support.ts';

const ROOT = '/var/log/kolla';

/** The formats of a service's log files, by the file names in its chart. */
const FORMATS: Readonly<Record<string, string>> = {
  'nova-libvirt': 'libvirt',
  'neutron-openvswitch-db': 'openvswitch',
  'neutron-openvswitch-vswitchd': 'openvswitch',
};

/** Directories that the images' own scripts create as root and chown to another user, which kolla-init cannot do. */
const SCRIPT_MAKES = new Set(['/var/log/kolla/openvswitch']);

describe("services' logs are parsed in their formats", { skip: (await canRunHelm()) ?? false }, () => {
  for (const chart of SERVICE_CHARTS)
    test(`${chart}: by the names of its files`, async () => {
      await using helm = await rendering(chart);
      const rendered = await helm.render();
      for (const workload of workloadsOf(rendered)) {
        const { name } = workload.metadata;
        const { directories = [] } = configJsonOf(filesOf(rendered, workload));
        const created = new Set(directories.map(({ path }) => path));
        const files = logFilesOf(rendered, workload);
        assert.notDeepEqual(files, [], name);
        for (const file of files) {
          const wanted = file.endsWith('-uwsgi.log')
            ? 'uwsgi'
            : file.endsWith('/dnsmasq.log')
              ? 'whole'
              : (FORMATS[name] ?? 'oslo');
          assert.equal(kindOf(file, ROOT, []).format, wanted, `${name}: ${file}`);
          const isMade = created.has(dirname(file)) || SCRIPT_MAKES.has(dirname(file));
          assert.ok(isMade, `${name}: nothing creates the directory of ${file}`);
        }
      }
    });

  test('no two Pods of one service log under the same name, by which dashboards distinguish them', async () => {
    for (const chart of SERVICE_CHARTS) {
      await using helm = await rendering(chart);
      const rendered = await helm.render();
      const all = workloadsOf(rendered).flatMap((workload) => logFilesOf(rendered, workload));
      assert.deepEqual(all, [...new Set(all)], chart);
    }
  });
});

/** The log files named by a workload's configuration and command, with its overlays applied. */
function logFilesOf(rendered: Rendered, workload: KubeObject): string[] {
  const files = filesOf(rendered, workload);
  const { command, config_files: entries } = configJsonOf(files);
  const texts = [command, ...entries.map(({ dest }) => textAt(files, dest) ?? '')];
  const named = texts.flatMap((text) => [...text.matchAll(/\/var\/log\/kolla\/\S+?\.log/g)].map(([path]) => path));
  const service = texts.find((text) => /^log_dir =/m.test(text)) ?? '';
  return [...new Set([...named, ...osloFileOf(rendered, workload, service, command)])];
}

/** The log file of a service with only `log_dir` set: oslo.log names it after the program. */
function osloFileOf(rendered: Rendered, workload: KubeObject, text: string, command: string): string[] {
  if (!text.includes('log_dir')) return [];
  const given = podYamlOf(rendered, workload).overlays?.ini?.find(({ key }) => key === 'log_file')?.value;
  const [program = ''] = command.split(' ');
  assert.ok(given !== undefined || program !== 'uwsgi', `${workload.metadata.name}: uWSGI has no name of its own`);
  return [`${osloOption(text, 'DEFAULT', 'log_dir')}/${given ?? `${program}.log`}`];
}
