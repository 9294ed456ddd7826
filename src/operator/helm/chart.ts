import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '../../core/version.ts';
import { suggestion } from '../../core/nearest.ts';

/** A chart as Helm's command line needs it. */
export interface Chart {
  readonly name: string;
  readonly version: string;
  /** A directory, an archive, or `oci://REGISTRY/NAME`. */
  readonly reference: string;
}

/** A chart that can't be used. The message names the fix. */
export class ChartError extends Error {
  override name = 'ChartError';
}

/**
 * Finds a chart.
 * @param charts a directory with archives NAME-VERSION.tgz or directories NAME, or `oci://REGISTRY/PATH`
 * @param version undefined for the newest one; in a registry: that of kolla-pod
 * @throws ChartError if there is no such chart
 */
export async function findChart(charts: string, name: string, version: string | undefined): Promise<Chart> {
  if (charts.startsWith('oci://'))
    return { name, version: version ?? VERSION, reference: `${charts.replace(/\/$/, '')}/${name}` };
  const found = (await chartsIn(charts)).filter((chart) => version === undefined || chart.version === version);
  const newest = found.filter((chart) => chart.name === name).toSorted((a, b) => compareVersions(a.version, b.version));
  const chart = newest.at(-1);
  if (chart !== undefined) return chart;
  const names = [...new Set(found.map((one) => one.name))];
  throw new ChartError(
    `no chart '${name}'${version === undefined ? '' : ` of version ${version}`} in ${charts}${suggestion(name, names)}`,
  );
}

async function chartsIn(directory: string): Promise<Chart[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((cause: unknown) => {
    throw new ChartError(`no charts: ${directory} can't be read`, { cause });
  });
  const charts = await Promise.all(
    entries.map(async (entry): Promise<Chart[]> => {
      const reference = join(directory, entry.name);
      const [, name, version] = /^(.+?)-(\d+\.\d+\.\d+.*)\.tgz$/.exec(entry.name) ?? [];
      if (name !== undefined && version !== undefined) return [{ name, version, reference }];
      if (!entry.isDirectory()) return [];
      const text = await readFile(join(reference, 'Chart.yaml'), 'utf8').catch(() => '');
      const own = /^version:\s*["']?([^\s"']+)/m.exec(text)?.[1];
      return own === undefined ? [] : [{ name: entry.name, version: own, reference }];
    }),
  );
  return charts.flat();
}

/** By their numbers; a pre-release comes before its release. */
function compareVersions(a: string, b: string): number {
  const [[one = '', ...ofOne], [other = '', ...ofOther]] = [a.split(/[-+]/), b.split(/[-+]/)];
  const byNumber = one.localeCompare(other, 'en', { numeric: true });
  if (byNumber !== 0 || ofOne.length + ofOther.length === 0) return byNumber;
  if (ofOne.length === 0 || ofOther.length === 0) return ofOne.length === 0 ? 1 : -1;
  return ofOne.join('-').localeCompare(ofOther.join('-'), 'en', { numeric: true });
}
