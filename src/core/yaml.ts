/**
 * The YAML parser. No other file imports js-yaml, so that no text is parsed without a budget. Loaded by import() where a
 * start may need no YAML.
 */
import { load, loadAll, type LoadOptions } from 'js-yaml';
import { ConfigError } from './errors.ts';
import { parseYaml } from './yaml-budget.ts';
import { yamlProblem } from './yaml-problem.ts';

export {
  boolYaml11Tag,
  CORE_SCHEMA,
  defineScalarTag,
  floatCoreTag,
  floatYaml11Tag,
  intCoreTag,
  intYaml11Tag,
  mergeTag,
  NOT_RESOLVED,
  YAML11_SCHEMA,
  type ScalarTagDefinition,
} from 'js-yaml';

/**
 * The only document of a text. Equal keys are an error, unless `json` is set: then the last one counts.
 * @throws YAMLException, whose message quotes the text: see yamlProblem(); RangeError beyond the budget
 */
export function loadDocument(text: string, options: LoadOptions = {}): unknown {
  return parseYaml(text, (one) => load(one, options));
}

/**
 * All documents of a text, none of a text with comments only.
 * @throws as loadDocument()
 */
export function loadDocuments(text: string, options: LoadOptions = {}): unknown[] {
  return parseYaml(text, (all) => loadAll(all, options));
}

/**
 * The first document of a configuration file; undefined if it has none.
 * @throws ConfigError with file and line, never with the text, which may have passwords
 */
export function loadFile(file: string, text: string): unknown {
  try {
    return loadDocuments(text)[0];
  } catch (error) {
    throw new ConfigError(`${file} is not YAML: ${yamlProblem(error)}`);
  }
}
