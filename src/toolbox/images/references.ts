import { ConfigError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import { at, laidOver, type Values } from '../helm/helm-values.ts';
import type { Chart } from './archive.ts';

/** Keys that globals.yml may set for all charts. */
const SHARED = new Set(['kollaPod', 'config', 'logs', 'jobs', 'networkPolicy', 'needsTimeout']);
const KOLLA = 'quay.io/openstack.kolla';

/**
 * The images that a chart's Pods pull: kolla-pod.layValues, kolla-pod.image and kolla-pod.ownImage of the library, without
 * Helm. A test compares them with what Helm renders. Not those of `objects`, `podSpec` and `spec`, which are free-form.
 * @param given values as for `helm --values`
 */
export function imagesOf({ name, library, defaults }: Chart, given: Values): string[] {
  const { global: _, 'kolla-pod': __, ...own } = given;
  const globals = at(given, 'global');
  const global = laidOver(at(library, 'globalDefaults'), globals);
  const alias = [own['name'], defaults['name']].find((one) => typeof one === 'string' && one !== '') as
    | string
    | undefined;
  const layers = [...new Set([name, alias ?? name])].map((one) => at(globals, 'charts', one));
  const shared = Object.fromEntries(Object.entries(globals).filter(([key]) => SHARED.has(key)));
  const values = laidOver(library, defaults, shared, ...layers, own);
  const reference = (image: Values) => referenceOf(name, image, at(values, 'image'), global);
  const workloads = Object.entries(at(values, 'workloads'))
    .map(
      ([key, workload]) =>
        [key, laidOver(at(values, 'workloadDefaults'), isMapping(workload) ? workload : {})] as const,
    )
    .filter(([, workload]) => workload['enabled'] !== false);
  const images = workloads.flatMap(([key, workload]) => [
    reference(at(workload, 'image')),
    ...ownContainers(workload).map((image) => opened(image, reference, `${name}: workloads.${key}`)),
  ]);
  const delivered = workloads.length > 0 && at(values, 'kollaPod')['delivery'] !== 'baked';
  return [...images, ...(delivered ? [ourImage(name, at(values, 'kollaPod', 'image'), global)] : [])];
}

function referenceOf(chart: string, image: Values, ofChart: Values, global: Values): string {
  const first = (key: string) => [image[key], ofChart[key], global[key]].find((value) => (value ?? '') !== '');
  return joined(first('registry'), first('repository') ?? chart, first('tag'));
}

function ourImage(chart: string, image: Values, global: Values): string {
  const { reference = '', repository, tag } = image;
  if (reference !== '') return String(reference);
  if (String(global['registry']).replace(/\/$/, '') === KOLLA)
    throw new ConfigError(
      `${chart}: global.kollaPod.image.reference is empty; set it to where publish.sh of a release put the image`,
    );
  return joined(global['registry'], repository, tag);
}

/** A tag that starts with sha256: is a digest. */
function joined(registry: unknown, repository: unknown, tag: unknown): string {
  const text = String(tag);
  return `${String(registry).replace(/\/$/, '')}/${String(repository)}${text.startsWith('sha256:') ? '@' : ':'}${text}`;
}

/** The images of containers that the values add to a workload, or override. */
function ownContainers({ container, extraContainers, extraInitContainers }: Values): string[] {
  return [container, extraContainers, extraInitContainers]
    .flat()
    .flatMap((one) => (isMapping(one) && typeof one['image'] === 'string' ? [one['image']] : []));
}

/** An image as text, or by the library's template: {{ include "kolla-pod.image" (list . (dict "repository" "x")) }}. */
function opened(image: string, reference: (image: Values) => string, place: string): string {
  if (!image.includes('{{')) return image;
  const [, pairs] =
    /^\{\{-? *include "kolla-pod\.image" \(list \. \(dict((?: +"[^"]*")*)\)\) *-?\}\}$/.exec(image) ?? [];
  if (pairs === undefined)
    throw new ConfigError(`${place}: no template but kolla-pod.image is known for an image; use helm template`);
  const words = [...pairs.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word);
  return reference(Object.fromEntries(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? '']] : []))));
}
