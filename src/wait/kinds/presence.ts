import type { KubeObject } from '../../kube/types.ts';
import type { ObjectKind } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { PLAIN } from '../shape/shape.ts';
import { met, skipped, type WaitState } from '../dependency/verdict.ts';

const SECRETS = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true } as const;
const CONFIGMAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true } as const;

/** Judges an object for which existence is enough. */
export function judgePresence({ metadata }: KubeObject): WaitState {
  return metadata.deletionTimestamp === undefined ? met('is there') : skipped('being deleted');
}

/** A Secret is watched only by name and without its content, so that no permission to list Secrets is needed. */
export const secret: ObjectKind = {
  form: 'object',
  word: 'secret',
  aliases: ['secrets'],
  what: 'a Secret',
  means: 'the Secret exists; its content is not read',
  by: 'name',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['release'],
  canBeNegated: true,
  reads: ({ name }) => [{ resource: SECRETS, by: 'own watch', name }],
  make: (dependency, options, effects) =>
    objectWaiter(dependency, options, effects, {
      resource: SECRETS,
      shape: PLAIN,
      judge: judgePresence,
      ofMany: 'all',
      metadataOnly: true,
      isAlone: true,
    }),
};

export const configmap: ObjectKind = {
  form: 'object',
  word: 'configmap',
  aliases: ['configmaps', 'cm'],
  what: 'a ConfigMap',
  means: 'the ConfigMap exists; its content is read only for a jsonpath=',
  by: 'name',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['jsonpath', 'release'],
  canBeNegated: true,
  reads: ({ name }) => [{ resource: CONFIGMAPS, by: 'own watch', name }],
  make: (dependency, options, effects) =>
    objectWaiter(dependency, options, effects, {
      resource: CONFIGMAPS,
      shape: PLAIN,
      judge: judgePresence,
      ofMany: 'all',
      metadataOnly: dependency.jsonpaths.length === 0,
      isAlone: true,
    }),
};
