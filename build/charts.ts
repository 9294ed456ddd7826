/**
 * `node build/charts.ts [DIRECTORY]`: packages every chart in k8s/charts as dist/charts/NAME-VERSION.tgz, like
 * `helm package`.
 *
 *   k8s/charts/NAME -> a temporary copy with the library chart in charts/, values.schema.json (chart-schema.ts), and
 *     values.yaml, for `helm show values`, and NOTES.txt
 *     -> an archive, reproducible byte for byte
 *
 * The repository contains no copies, only one library, one schema, and each chart's defaults.yaml. What can fail: a chart without Chart.yaml, no
 * `tar`.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { valuesSchema } from './chart-schema.ts';

export const CHARTS: string = fileURLToPath(new URL('../k8s/charts/', import.meta.url));
export const LIBRARY = 'kolla-pod';
/** The chart's defaults, which the library's templates read. */
export const DEFAULTS = 'defaults.yaml';
const SCHEMA = 'service.schema.json';
const SETTINGS_SCHEMA = 'settings.schema.json';
const WORKLOADS_SCHEMA = 'workloads.schema.json';

/** The service charts by name, without the library. */
export function chartNames(): string[] {
  return readdirSync(CHARTS)
    .filter((name) => name !== LIBRARY && existsSync(join(CHARTS, name, 'Chart.yaml')))
    .toSorted();
}

/**
 * Copies a chart and its dependencies into a directory, ready for Helm.
 * @param source the chart's directory, if not the one in k8s/charts
 * @returns `directory/NAME`
 */
export function stageChart(name: string, directory: string, source: string = join(CHARTS, name)): string {
  const place = join(directory, name);
  cpSync(source, place, { recursive: true });
  if (name === LIBRARY) return place;
  const library = join(place, 'charts', LIBRARY);
  cpSync(join(CHARTS, LIBRARY), library, { recursive: true });
  writeFileSync(join(place, 'values.schema.json'), schemaOf(name, place));
  writeFileSync(join(place, 'values.yaml'), shownValues(readFileSync(join(place, DEFAULTS), 'utf8')));
  writeFileSync(join(place, 'templates/NOTES.txt'), '{{ include "kolla-pod.notes" . }}\n');
  return place;
}

/** The defaults as comments: what Helm reads from values.yaml, it cannot tell from the user's values. */
function shownValues(defaults: string): string {
  const head =
    'Defaults, as comments: see "Precedence of values" in docs/how-to/helm.md. Set what differs with --values or --set.';
  return `# ${head}\n${defaults.replaceAll(/^(?=.)/gm, '# ')}`;
}

function schemaOf(name: string, chart: string): string {
  const library = readFileSync(join(CHARTS, LIBRARY, SCHEMA), 'utf8');
  const ownText = (file: string) => {
    const own = join(chart, file);
    return existsSync(own) ? readFileSync(own, 'utf8') : undefined;
  };
  const own = { settings: ownText(SETTINGS_SCHEMA), workloads: ownText(WORKLOADS_SCHEMA) };
  return `${JSON.stringify(valuesSchema(name, library, own), undefined, 2)}\n`;
}

/**
 * Packages a chart.
 * @param finish changes the copy that is packaged
 * @returns the archive's path
 */
export function packageChart(name: string, output: string, finish?: (place: string) => void): string {
  const version = /^version: (\S+)$/m.exec(readFileSync(join(CHARTS, name, 'Chart.yaml'), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`k8s/charts/${name}/Chart.yaml has no version`);
  mkdirSync(output, { recursive: true });
  const stage = mkdtempSync(join(tmpdir(), 'kolla-pod-charts-'));
  try {
    const place = stageChart(name, stage);
    finish?.(place);
    const file = `${name}-${version}.tgz`;
    const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
    const tar = spawnSync('tar', [
      ...same,
      '--use-compress-program=gzip -n',
      '-cf',
      join(stage, file),
      '-C',
      stage,
      name,
    ]);
    if (tar.status !== 0) throw new Error(`tar: ${tar.error?.message ?? tar.stderr.toString()}`);
    // May be another file system: copied under a temporary name first, so that no reader finds a partial file.
    cpSync(join(stage, file), join(output, `.${file}`));
    renameSync(join(output, `.${file}`), join(output, file));
    return join(output, file);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const output = process.argv[2] ?? fileURLToPath(new URL('../dist/charts', import.meta.url));
  for (const name of [LIBRARY, ...chartNames()]) console.log(packageChart(name, output));
}
