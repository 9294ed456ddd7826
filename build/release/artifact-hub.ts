/**
 * Annotations with which Artifact Hub shows a chart (artifacthub.io/docs/topics/annotations/helm), besides those that its
 * Chart.yaml has: each is text, often YAML.
 */
import { dump } from 'js-yaml';
import { parseValues } from '../../src/toolbox/helm/helm-values.ts';
import { imagesOf } from '../../src/toolbox/images/references.ts';
import type { Chart } from '../../src/toolbox/images/archive.ts';

export interface Publication {
  /** This version's section of the changelog. */
  readonly changes: string;
  /** Where the image of kolla-pod is published, with its tag. */
  readonly image: string;
  /** Where the sources are; empty if unknown. */
  readonly source: string;
  /** Where the public key is that verifies the signatures; undefined if nothing is signed or the place is unknown. */
  readonly signKey?: { readonly fingerprint: string; readonly url: string } | undefined;
}

type Annotations = Readonly<Record<string, string>>;

/** @param chart with the defaults from which its images are listed */
export function artifactHubAnnotations(chart: Chart, version: string, publication: Publication): Annotations {
  const { changes, image, source, signKey } = publication;
  const reference = { global: { kollaPod: { image: { reference: image } } } };
  const images = imagesOf(chart, reference).map((one) => ({ name: nameOf(one), image: one }));
  return {
    'artifacthub.io/changes': yaml(changesFor(chart.name, changes)),
    'artifacthub.io/containsSecurityUpdates': String(/^### Security$/m.test(changes)),
    'artifacthub.io/images': yaml([...new Map(images.map((one) => [one.image, one])).values()]),
    'artifacthub.io/prerelease': String(version.includes('-')),
    ...(source !== '' && { 'artifacthub.io/links': yaml([{ name: 'source', url: source }]) }),
    ...(signKey && { 'artifacthub.io/signKey': yaml(signKey) }),
  };
}

/** The annotations as a part of a Chart.yaml, with those that it has. */
export function withAnnotations(chartYaml: string, annotations: Annotations): string {
  const metadata = parseValues(chartYaml, 'Chart.yaml');
  return yaml({ ...metadata, annotations: { ...(metadata['annotations'] as Annotations), ...annotations } });
}

/** Entries that concern charts, and no other chart alone; all kinds of Keep a Changelog are Artifact Hub's too. */
function changesFor(chart: string, changes: string): { kind: string; description: string }[] {
  return changes.split(/^### /m).flatMap((section) => {
    const [kind = '', ...rest] = section.split('\n');
    const entries = rest
      .join('\n')
      .split(/^- /m)
      .slice(1)
      .map((text) => plain(text.split(/\n\n/)[0] ?? ''));
    return entries
      .filter((text) => /\bcharts?\b|\bhelm\b|\bglobal\./i.test(text))
      .filter((text) => (/^Chart ([\w-]+)/.exec(text)?.[1] ?? chart) === chart)
      .map((description) => ({ kind: kind.trim().toLowerCase(), description }));
  });
}

/** Markdown as one line of text, without the targets of links. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function nameOf(image: string): string {
  return (
    image
      .replace(/@.*|:[^/]*$/, '')
      .split('/')
      .at(-1) ?? image
  );
}

function yaml(value: object): string {
  return dump(value, { lineWidth: -1, noRefs: true });
}
