import { formatAddress } from '../../../src/net/dial/address.ts';
import type { Dependency, ObjectDependency } from '../../../src/wait/dependency/dependency.ts';

/** The text that parseDependency() parses into this dependency. */
export function formatDependency(dependency: Dependency): string {
  const { isNegated, kind, timeoutMs } = dependency;
  const timeout = timeoutMs === undefined ? [] : [`timeout=${timeoutMs}ms`];
  return (isNegated ? '!' : '') + bodyOf();

  function bodyOf(): string {
    switch (dependency.form) {
      case 'object':
        return kind + placeOf(dependency) + query('?', [...wordsOf(dependency), ...timeout]);
      case 'server':
        return `${kind}://${formatAddress(dependency)}${query('?', timeout)}`;
      case 'url':
        return dependency.url.href + query('#', timeout);
      case 'path':
        return `${kind}:${dependency.path}${query('?', timeout)}`;
    }
  }
}

function placeOf({ name, namespace }: ObjectDependency): string {
  return (name === undefined ? '' : `/${name}`) + (namespace === undefined ? '' : `@${namespace}`);
}

function wordsOf({ labels, conditions, jsonpaths, release, isOnOwnNode, record }: ObjectDependency): string[] {
  return [
    ...labels.map((label) => `label=${encoded(label)}`),
    ...conditions.map(({ type, status }) => `condition=${type}=${status}`),
    ...jsonpaths.map(({ path, value }) => `jsonpath=${encoded(path + (value === undefined ? '' : `=${value}`))}`),
    ...(release === undefined ? [] : [`release=${encoded(release)}`]),
    ...(isOnOwnNode ? ['node=own'] : []),
    ...(record === undefined ? [] : [`db-sync=${record}`]),
  ];
}

function query(mark: string, words: readonly string[]): string {
  return words.length === 0 ? '' : mark + words.join('&');
}

/** Encodes the separators of options, of dependencies in the environment, and of arguments of a shell. */
function encoded(value: string): string {
  return value.replaceAll(/[%&,#\s]/g, (c) => encodeURIComponent(c));
}
