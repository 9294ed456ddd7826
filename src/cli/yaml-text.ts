/** What prints as YAML: plain data. */
export type YamlValue = string | number | boolean | null | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** Longer lists and mappings are written a line each. */
const FLOW_COLUMNS = 100;
/** Words that YAML 1.1 reads as something else than text. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i;
const PLAIN = /^(?:--?[a-z]|[A-Za-z_/]|\d+(?=[KMG]i$))[A-Za-z0-9_./-]*$/;

/**
 * Data as YAML for people: short lists and mappings on one line, keys in their order.
 * @param commentOf what stands as a comment above an item of a list; several lines by newlines
 */
export function yamlText(value: YamlValue, commentOf: (item: YamlValue) => string | undefined): string {
  return `${lines(value, commentOf).join('\n')}\n`;
}

function lines(value: YamlValue, commentOf: (item: YamlValue) => string | undefined): string[] {
  if (isList(value)) {
    return value.flatMap((item) => {
      const comment = commentOf(item)?.split('\n') ?? [];
      const [first = '', ...rest] = fitsOneLine(item) ? [flow(item)] : lines(item, commentOf);
      return [...comment.map((line) => `# ${line}`), `- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  if (typeof value !== 'object' || value === null) return [flow(value)];
  return Object.entries(value).flatMap(([key, item]) => {
    if (fitsOneLine(item)) return [`${scalar(key)}: ${flow(item)}`];
    return [`${scalar(key)}:`, ...lines(item, commentOf).map((line) => `  ${line}`)];
  });
}

function fitsOneLine(value: YamlValue): boolean {
  // A list of mappings is read from top to bottom, however short it is.
  if (isList(value) && value.some((item) => typeof item === 'object' && item !== null)) return false;
  return flow(value).length <= FLOW_COLUMNS;
}

function flow(value: YamlValue): string {
  if (isList(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return scalar(value);
  const items = Object.entries(value).map(([key, item]) => `${scalar(key)}: ${flow(item)}`);
  return items.length === 0 ? '{}' : `{ ${items.join(', ')} }`;
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  // JSON's strings are YAML's too.
  return PLAIN.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
}

function isList(value: YamlValue): value is readonly YamlValue[] {
  return Array.isArray(value);
}
