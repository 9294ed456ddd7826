/**
 * The charts, for both ways in which Helm finds them:
 *
 *   build/charts.ts, with Artifact Hub's annotations -> charts/NAME-VERSION.tgz, index.yaml for `helm repo add`
 *                   -> oci/charts/NAME, a layout each, as `helm push` would upload it, for oci://
 *
 * The library is in each chart and not published by itself.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { dump, load } from 'js-yaml';
import { VERSION } from '../../src/core/version.ts';
import { parseValues } from '../../src/toolbox/helm/helm-values.ts';
import { must } from '../../tools/process.ts';
import { chartNames, DEFAULTS, LIBRARY, packageChart } from '../charts.ts';
import { artifactHubAnnotations, withAnnotations, type Publication } from './artifact-hub.ts';
import { sha256 } from '../digest.ts';
import { createLayout, MEDIA, type Layout } from './layout.ts';

/** Media types of Helm's artifacts. */
const HELM_CONFIG = 'application/vnd.cncf.helm.config.v1+json';
const HELM_CHART = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/** The content of Chart.yaml. */
interface Metadata {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly [key: string]: unknown;
}

export interface ReleasedChart {
  readonly name: string;
  /** The path of the chart's layout, below `oci/`. */
  readonly repository: string;
  readonly layout: Layout;
}

/** @param created time of the index's entries, RFC 3339 */
export async function writeCharts(
  directory: string,
  created: string,
  publication: Publication,
): Promise<ReleasedChart[]> {
  const charts = join(directory, 'charts');
  const released: ReleasedChart[] = [];
  const entries: Record<string, object[]> = {};
  for (const name of chartNames()) {
    const file = packageChart(name, charts, (place) => annotate(name, place, publication));
    const metadata = await metadataOf(file, name);
    const bytes = await readFile(file);
    entries[name] = [{ ...metadata, created, digest: sha256(bytes), urls: [basename(file)] }];
    const repository = `charts/${name}`;
    const layout = await createLayout(join(directory, 'oci', repository));
    layout.tag(metadata.version, await addChart(layout, metadata, bytes));
    released.push({ name, repository, layout });
  }
  const index = { apiVersion: 'v1', entries, generated: created };
  await writeFile(join(charts, 'index.yaml'), dump(index, { lineWidth: 120, noRefs: true }));
  return released;
}

function annotate(name: string, place: string, publication: Publication): void {
  const valuesIn = (file: string) => parseValues(readFileSync(join(place, file), 'utf8'), file);
  const chart = { name, library: valuesIn(join('charts', LIBRARY, 'values.yaml')), defaults: valuesIn(DEFAULTS) };
  const file = join(place, 'Chart.yaml');
  const annotations = artifactHubAnnotations(chart, VERSION, publication);
  writeFileSync(file, withAnnotations(readFileSync(file, 'utf8'), annotations));
}

async function addChart(layout: Layout, metadata: Metadata, bytes: Uint8Array) {
  return await layout.add(MEDIA.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config: await layout.add(HELM_CONFIG, metadata),
    layers: [await layout.add(HELM_CHART, bytes)],
    annotations: {
      'org.opencontainers.image.title': metadata.name,
      'org.opencontainers.image.description': metadata.description,
      'org.opencontainers.image.version': VERSION,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  });
}

async function metadataOf(file: string, name: string): Promise<Metadata> {
  return load(await must('tar', ['-xOzf', file, `${name}/Chart.yaml`])) as Metadata;
}
