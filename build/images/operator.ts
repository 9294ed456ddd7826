/**
 * What the image `operator` has on top of the runnable one, as one layer:
 *
 *   tools/helm.ts -> Helm for the image's architecture -> /usr/local/bin/helm;  helm.ts -> its modules, for SBOM and licences
 *   build/charts.ts -> the charts of this release -> /usr/share/kolla-pod/charts, where kolla-operator looks for them
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { privateDirectory } from '../../tools/directory.ts';
import { helmBinary } from '../../tools/helm.ts';
import type { Layer } from '../../tools/image.ts';
import { tarOf } from '../../tools/tar.ts';
import type { Target } from '../base.ts';
import { chartNames, packageChart } from '../charts.ts';
import type { BundledPackage } from './bundled.ts';
import { paperEntries, type Papers } from './contents.ts';
import { helmPackages } from './helm.ts';

const CHARTS = 'usr/share/kolla-pod/charts/';

export interface OperatorParts {
  readonly helm: Uint8Array;
  /** Helm's own module first. */
  readonly packages: readonly BundledPackage[];
  /** The packaged charts by file name. */
  readonly charts: Readonly<Record<string, Uint8Array>>;
}

export async function operatorParts(arch: Target['arch']): Promise<OperatorParts> {
  return {
    helm: await readFile(await helmBinary(arch, '4')),
    packages: await helmPackages(arch),
    charts: await packedCharts(),
  };
}

/** @param papers of the whole image: they replace those of the layers below */
export function operatorLayer({ helm, charts }: OperatorParts, papers: Papers): Layer {
  return tarOf([
    ...paperEntries(papers),
    { name: 'usr/local/bin/helm', mode: 0o755, content: helm },
    { name: 'usr/share/kolla-pod/', mode: 0o755 },
    { name: CHARTS, mode: 0o755 },
    ...Object.entries(charts).map(([name, content]) => ({ name: `${CHARTS}${name}`, mode: 0o644, content })),
  ]);
}

async function packedCharts(): Promise<Record<string, Uint8Array>> {
  await using directory = await privateDirectory('charts');
  const files = chartNames().map((name) => packageChart(name, directory.path));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [basename(file), await readFile(file)] as const)),
  );
}
