import { documentsIn } from './documents.ts';

/** What the Pods of a release pull. */
export interface Images {
  readonly images: readonly string[];
  /** Names of the Secrets with credentials for it. */
  readonly pullSecrets: readonly string[];
}

/** A list that a chart leaves empty is null. */
interface PodSpec {
  readonly containers?: readonly { readonly image?: string }[] | null;
  readonly initContainers?: readonly { readonly image?: string }[] | null;
  readonly imagePullSecrets?: readonly { readonly name?: string }[] | null;
}

interface Templated {
  readonly spec?: { readonly template?: { readonly spec?: PodSpec }; readonly jobTemplate?: Templated };
}

/** @param text of a dry run: Helm's own, then the hooks and the manifest as YAML documents, then notes */
export function imagesIn(text: string): Images {
  const lines = text.split('\n');
  const [begin, notes] = [lines.indexOf('HOOKS:'), lines.indexOf('NOTES:')];
  const yaml = lines.slice(begin + 1, notes === -1 ? undefined : notes).filter((line) => line !== 'MANIFEST:');
  const specs = documentsIn(yaml.join('\n'), (object) => podSpecOf(object as Templated | null | undefined) ?? []);
  const images = specs.flatMap(({ containers, initContainers }) =>
    [...(containers ?? []), ...(initContainers ?? [])].flatMap(({ image }) => image ?? []),
  );
  const secrets = specs.flatMap(({ imagePullSecrets }) => (imagePullSecrets ?? []).flatMap(({ name }) => name ?? []));
  return { images: [...new Set(images)], pullSecrets: [...new Set(secrets)] };
}

function podSpecOf(object: Templated | null | undefined): PodSpec | undefined {
  const { template, jobTemplate } = object?.spec ?? {};
  return template?.spec ?? (jobTemplate && podSpecOf(jobTemplate));
}
