/**
 * kolla-pod images: what a mirror must have.
 *
 *   DIR/*.tgz -> each chart's defaults and its library's (archive.ts)
 *   --values, merged as by Helm -> references, as the library's templates write them (references.ts)
 *   -> sorted, one per line
 *
 * Contacts no registry. 64: a chart that DIR does not have; 65: DIR has no charts, or values are invalid.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '../../cli/command.ts';
import { ConfigError, ExitCode, messageOf, UsageError } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';

export const images = command({
  summary: 'Lists the images that the charts pull with given values, for a mirror.',
  description:
    'One reference per line, sorted: what helm template of the same charts and values has, without Helm and without ' +
    'passwords. Images in the values objects, podSpec and spec are not listed.',
  operands: [{ name: 'CHART', help: 'charts to list (default: all)', optional: true, many: true }],
  options: [
    {
      flag: 'values',
      short: 'f',
      type: 'path',
      repeat: true,
      env: 'KOLLA_POD_IMAGES_VALUES',
      help: 'values, as for helm install',
      example: 'globals.yml',
    },
    {
      flag: 'charts',
      type: 'path',
      env: 'KOLLA_POD_IMAGES_CHARTS',
      default: 'charts',
      help: 'directory with the packaged charts',
      details: "A release's charts/, or dist/charts of `make charts`.",
      example: 'dist/charts',
    },
  ],
  examples: [
    { line: 'kolla-pod images --values globals.yml', does: 'in the directory of a release: the images of all charts' },
    {
      line: 'kolla-pod images keystone --values globals.yml --charts dist/charts',
      does: 'the images of one chart that was built from source',
    },
  ],
  async run({ operands, options: { values, charts: directory } }, { stdout }) {
    // Imported lazily: the other commands read no YAML.
    const [{ readChart }, { imagesOf }, { readValues }] = await Promise.all([
      import('./archive.ts'),
      import('./references.ts'),
      import('../helm/helm-values.ts'),
    ]);
    const given = await readValues(values);
    const files = await readdir(directory).catch((cause: unknown) => {
      throw new ConfigError(`cannot read the charts, --charts: ${messageOf(cause)}`, { cause });
    });
    const archives = files.filter((file) => file.endsWith('.tgz')).map((file) => readChart(join(directory, file)));
    const charts = (await Promise.all(archives)).filter((chart) => chart !== undefined);
    if (charts.length === 0) throw new ConfigError(`--charts: ${directory} has no packaged charts (NAME-VERSION.tgz)`);
    const names = charts.map(({ name }) => name);
    for (const name of operands)
      if (!names.includes(name))
        throw new UsageError(`images: ${directory} has no chart '${name}'${suggestion(name, names)}`);
    const chosen = charts.filter(({ name }) => operands.length === 0 || operands.includes(name));
    const found = new Set(chosen.flatMap((chart) => imagesOf(chart, given)));
    stdout(
      [...found]
        .toSorted()
        .map((image) => `${image}\n`)
        .join(''),
    );
    return ExitCode.ok;
  },
});
