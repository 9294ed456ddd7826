import type { ScalarTagDefinition } from '../../core/yaml.ts';
import { yamlProblem } from '../../core/yaml-problem.ts';
import { SetConfigsError } from '../failure/failure.ts';

/**
 * YAML 1.1 as read by PyYAML's safe_load, which differs from the specification: `y` and `n` are strings, duplicate keys
 * are allowed, a sexagesimal number does not start with 0. Throws exit code 1 for invalid YAML, or an empty document.
 */
export async function parsePythonYaml(file: string, content: string): Promise<unknown> {
  const yaml = await import('../../core/yaml.ts');
  const narrowed = (tag: ScalarTagDefinition, pattern: RegExp): ScalarTagDefinition => ({
    ...tag,
    resolve: (source, isExplicit, name) =>
      isExplicit || pattern.test(source) ? tag.resolve(source, isExplicit, name) : yaml.NOT_RESOLVED,
  });
  const value = yaml.defineScalarTag('tag:yaml.org,2002:value', {
    implicit: true,
    implicitFirstChars: ['='],
    resolve: (source) => {
      if (source === '=') throw new RangeError('PyYAML has no meaning for =');
      return yaml.NOT_RESOLVED;
    },
    identify: () => false,
  });
  const schema = yaml.YAML11_SCHEMA.withTags(
    value,
    narrowed(yaml.boolYaml11Tag, /^..+$/),
    narrowed(yaml.intYaml11Tag, /^(?![-+]?0[0-9_]*:)/),
    narrowed(yaml.floatYaml11Tag, /^(?:[-+]?[0-9]|\.[0-9]|[-+]?\.(?:inf|nan)$)/i),
  );
  const invalid = (why: string, options?: ErrorOptions) =>
    new SetConfigsError('InvalidConfig', `Invalid yaml file found at ${file}${why}`, options);
  if (/^(?:\s*(?:#.*)?(?:\n|$))*$/.test(content)) throw invalid(': file is empty');
  try {
    const document = yaml.loadDocument(content, { schema, json: true });
    if (document === null || document === undefined) throw invalid(': file is empty');
    return document;
  } catch (cause) {
    // The parser's message quotes the text, which may contain a password.
    throw cause instanceof SetConfigsError ? cause : invalid(`: ${yamlProblem(cause)}`, { cause });
  }
}
