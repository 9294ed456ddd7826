/**
 * The charts, for both ways in which Helm finds them:
 *
 *   build/charts.ts -> charts/NAME-VERSION.tgz, index.yaml for `helm repo add` and Artifact Hub
 *                   -> oci/charts/NAME, a layout each, as `helm push` would upload it, for oci://
 *
 * The library is in each chart and not published by itself.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { dump, load } from 'js-yaml';
import { VERSION } from '../../src/core/version.ts';
import { must } from '../../tools/process.ts';
import { chartNames, packageChart } from '../charts.ts';
import { sha256 } from './digest.ts';
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
export async function writeCharts(directory: string, created: string): Promise<ReleasedChart[]> {
  const charts = join(directory, 'charts');
  const released: ReleasedChart[] = [];
  const entries: Record<string, object[]> = {};
  for (const name of chartNames()) {
    const file = packageChart(name, charts);
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
