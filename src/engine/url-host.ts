/** Hosts of URLs, as the URL Standard reads and writes them: names of ASCII letters, and addresses in any notation. */
import { shortened } from '../core/ipv6.ts';
import { v6Bytes } from './net/address.ts';

/** Characters that no name has, and other scripts, whose names need tables: their ASCII form is `xn--` and is taken as it is. */
const FORBIDDEN = /[^!"$&'()*+,\-.0-9;=_`a-z{}~]/;
/** An IPv4 address has four parts; fewer have a longer last one. */
const [PARTS, PART_MAX] = [4, 255];

/** The host in its normal form; undefined for none. */
export function hostOf(text: string): string | undefined {
  if (text.startsWith('[')) return text.endsWith(']') ? v6Of(text.slice(1, -1)) : undefined;
  const name = unescaped(text).toLowerCase();
  if (name === '' || FORBIDDEN.test(name)) return undefined;
  const parts = name.split('.');
  if (parts.length > 1 && parts.at(-1) === '') parts.pop();
  const last = parts.at(-1)!;
  return /^\d+$/.test(last) || numberOf(last) !== undefined ? v4Of(parts) : name;
}

/** Escapes of ASCII characters as these; other ones stay, and no name has them. */
function unescaped(text: string): string {
  return text.replaceAll(/%[0-7][\da-f]/gi, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
}

function v6Of(text: string): string | undefined {
  const bytes = /\.[^:]*:/.test(text) ? undefined : v6Bytes(text);
  if (bytes === undefined) return undefined;
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  return `[${shortened(groups)}]`;
}

function v4Of(parts: readonly string[]): string | undefined {
  const numbers = parts.map(numberOf);
  if (numbers.length > PARTS || !numbers.every((one) => one !== undefined)) return undefined;
  const [last, others] = [numbers.at(-1)!, numbers.slice(0, -1)];
  if (others.some((one) => one > PART_MAX) || last >= 256 ** (PARTS - others.length)) return undefined;
  const rest = Array.from({ length: PARTS - others.length }, (_, i) => Math.floor(last / 256 ** i) % 256);
  return [...others, ...rest.toReversed()].join('.');
}

/** Decimal, octal from 0, hexadecimal from 0x. */
function numberOf(text: string): number | undefined {
  if (/^0x[\da-f]*$/.test(text)) return text.length === 2 ? 0 : Number.parseInt(text, 16);
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  return /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : undefined;
}
