import {
  boolYaml11Tag,
  CORE_SCHEMA,
  floatCoreTag,
  intCoreTag,
  intYaml11Tag,
  loadDocument,
  mergeTag,
  NOT_RESOLVED,
  type ScalarTagDefinition,
} from './yaml.ts';

/** What the first of these tags makes of a number, in which digits may be grouped by _. */
function number(...tags: readonly ScalarTagDefinition[]): ScalarTagDefinition {
  const resolve: ScalarTagDefinition['resolve'] = (source, isExplicit, name) => {
    const plain = source.replaceAll('_', '');
    // Helm's parser has no sexagesimal numbers: 12:30 is a text.
    if (plain.includes(':')) return NOT_RESOLVED;
    const found = tags.map((tag) => tag.resolve(plain, isExplicit, name));
    return found.find((value) => value !== NOT_RESOLVED) ?? NOT_RESOLVED;
  };
  return { ...tags[0]!, resolve };
}

/** As Helm's parser, go-yaml 2: booleans, octal numbers and merge keys of YAML 1.1. A date is a text. */
const SCHEMA = CORE_SCHEMA.withTags(boolYaml11Tag, number(intYaml11Tag, intCoreTag), number(floatCoreTag), mergeTag);

/** Parses a file of values as `helm --values` does. @throws YAMLException; RangeError beyond the budget for YAML */
export function loadValues(text: string): unknown {
  return loadDocument(text, { schema: SCHEMA });
}
