/** What prints as YAML: plain data. */
export type YamlValue = string | number | boolean | null | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** Longer lists and mappings are written a line each. */
const FLOW_COLUMNS = 100;
/** Words that YAML 1.1 reads as something else than text. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i;
/** Characters that YAML takes only escaped. JSON leaves these as they are. */
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;
/** Lines that stand for themselves in a block. */
// eslint-disable-next-line no-control-regex
const BLOCK = /^[^\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\uD800-\uDFFF\uFEFF\uFFFE\uFFFF]*$/u;
const PLAIN = /^(?:--?[a-z]|[A-Za-z_/]|\d+(?=[KMG]i$))[A-Za-z0-9_./-]*$/;

/**
 * Data as YAML for people: short lists and mappings on one line, lines of text as blocks, keys in their order.
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
  // A list of mappings is read from top to bottom, however short it is.
  if (isList(value) && value.some((item) => typeof item === 'object' && item !== null)) return false;
  if (typeof value === 'object' && value !== null && Object.values(value).some(isBlock)) return false;
  return flow(value).length <= FLOW_COLUMNS;
}

/** A text of whole lines, or of several, with nothing in it that only quotes can write. Trailing blank lines can be counted, not seen. */
function isBlock(value: YamlValue): value is string {
  if (typeof value !== 'string' || !value.includes('\n')) return false;
  return /\S/.test(value) && BLOCK.test(value) && !value.endsWith('\n\n');
}

function block(key: string, text: string): string[] {
  const hasEnd = text.endsWith('\n');
  // How deep it is indented can't be seen where its own first line is.
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
  // JSON's strings are YAML's too.
  return PLAIN.test(value) && !RESERVED.test(value) ? value : quoted(value);
}

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(UNPRINTABLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isList(value: YamlValue): value is readonly YamlValue[] {
  return Array.isArray(value);
}
