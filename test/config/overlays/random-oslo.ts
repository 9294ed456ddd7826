import { oneOf } from '../../support/random.ts';

export const SECTIONS = ['DEFAULT', 'database', 'vnc', 'neutron'];
export const KEYS = ['my_ip', 'host', 'bind_host', 'server_listen'];

/** A small oslo.config file with every feature of its syntax, and an option to set. */
export function randomOslo(random: () => number): { text: string; section: string; key: string } {
  const pick = <T>(all: readonly T[]) => oneOf(random, all);
  let text = '';
  let hasValue = false;
  for (let n = Math.floor(random() * 14); n > 0; n--) {
    const kind = Math.floor(random() * 6);
    if (kind === 0) text += pick(['# a comment = x\n', ';my_ip = 1\n', '#[vnc]\n']);
    else if (kind === 1) text += pick(['\n', '  \n']);
    else if (kind === 2) text += `[${pick(SECTIONS)}]\n`;
    else if (kind === 3 && hasValue) text += pick(['  more\n', '\tmore = 1\n', '  # more\n']);
    else
      text += `${pick(KEYS)}${pick(['=', ' = ', ': ', ' : ', ' =', '\t=\t'])}${pick(['', 'a', '"b c"', 'x=y', '[z]'])}\n`;
    hasValue = kind >= 4 || (kind === 3 && hasValue);
    if (kind === 3) hasValue = true;
  }
  if (random() < 0.3) text = text.replace(/\n$/, '');
  return { text, section: pick(SECTIONS), key: pick(KEYS) };
}
