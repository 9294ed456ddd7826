/** Values that can be printed as YAML: plain data. */
export type YamlValue = string | number | boolean | null | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** Longer lists and mappings are written one item per line. */
const FLOW_COLUMNS = 100;
/** Words that YAML 1.1 does not parse as strings. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i;
/** Characters that YAML requires to be escaped and JSON does not. */
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;
/** Lines that a block scalar can contain literally. */
// eslint-disable-next-line no-control-regex
const BLOCK = /^[^\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\uD800-\uDFFF\uFEFF\uFFFE\uFFFF]*$/u;
const PLAIN = /^(?:--?[a-z]|[A-Za-z_/]|\d+(?=[KMG]i$))[A-Za-z0-9_./-]*$/;

/**
 * Formats data as readable YAML: short lists and mappings on one line, multi-line text as block scalars, keys in order.
 * @param commentOf returns the comment to print above an item of a list; newlines separate its lines
 */
export function yamlText(value: YamlValue, commentOf: (item: YamlValue) => string | undefined): string {
  return `${lines(value, commentOf).join('\n')}\n`;
}

function lines(value: YamlValue, commentOf: (item: YamlValue) => string | undefined): string[] {
  if (isList(value)) {
    return value.flatMap((item) => {
      const comment = commentOf(item)?.split('\n') ?? [];
      const [first = '', ...rest] = fitsOneLine(item) ? [flow(item)] : lines(item, commentOf);
      return [...comment.map((line) => `# ${line}`), `- ${first}`, ...rest.map(indented)];
    });
  }
  if (typeof value !== 'object' || value === null) return [flow(value)];
  return Object.entries(value).flatMap(([key, item]) => {
    if (isBlock(item)) return block(scalar(key), item);
    if (fitsOneLine(item)) return [`${scalar(key)}: ${flow(item)}`];
    return [`${scalar(key)}:`, ...lines(item, commentOf).map(indented)];
  });
}

function fitsOneLine(value: YamlValue): boolean {
  // A list of mappings always has one item per line.
  if (isList(value) && value.some((item) => typeof item === 'object' && item !== null)) return false;
  if (typeof value === 'object' && value !== null && Object.values(value).some(isBlock)) return false;
  return flow(value).length <= FLOW_COLUMNS;
}

/** Multi-line text that needs no quotes. Trailing empty lines would be ambiguous. */
function isBlock(value: YamlValue): value is string {
  if (typeof value !== 'string' || !value.includes('\n')) return false;
  return /\S/.test(value) && BLOCK.test(value) && !value.endsWith('\n\n');
}

function block(key: string, text: string): string[] {
  const hasEnd = text.endsWith('\n');
  // If the text's first line starts with a space, the block needs an indentation indicator.
  const depth = /^[ \t\n]/.test(text) ? '2' : '';
  return [`${key}: |${depth}${hasEnd ? '' : '-'}`, ...(hasEnd ? text.slice(0, -1) : text).split('\n').map(indented)];
}

function indented(line: string): string {
  return line === '' ? '' : `  ${line}`;
}

function flow(value: YamlValue): string {
  if (isList(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return scalar(value);
  const items = Object.entries(value).map(([key, item]) => `${scalar(key)}: ${flow(item)}`);
  return items.length === 0 ? '{}' : `{ ${items.join(', ')} }`;
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  // JSON strings are valid YAML.
  return PLAIN.test(value) && !RESERVED.test(value) ? value : quoted(value);
}

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(UNPRINTABLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isList(value: YamlValue): value is readonly YamlValue[] {
  return Array.isArray(value);
}
