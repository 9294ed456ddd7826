import { rest } from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

/**
 * The fallback for any file. Each line is an event, unparsed except for its time.
 *
 *     2026-11-20 08:15:42 anything
 */
export const whole: FormatKind = {
  files: [{ file: /^dnsmasq\.log$/ }],
  table: { name: 'whole', otherwise: 'alone', line: [rest('Payload', elsewhere)] },
};
