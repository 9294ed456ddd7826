import { check } from '../ask/check.ts';
import { processQuestion } from '../local/process.ts';
import { PATTERN_OPTION, processQuery } from './arguments.ts';

/** Checks that a process of this name is running, not that it works: prefer a more specific check. */
export const process = check({
  word: 'process',
  summary: 'Checks that a process of this name is running.',
  description: 'Zombies do not count. A running process says little: prefer the `listen` or `connected` check.',
  operands: [{ name: 'NAME', help: 'name of the program or interpreted script' }],
  options: [PATTERN_OPTION],
  examples: [
    { line: 'kolla-probe process ovn-controller', does: 'healthy while ovn-controller runs' },
    { line: "kolla-probe process --pattern 'mistral-server .*engine'", does: 'identified by its arguments' },
  ],
  prepare({ operands: [name = ''], options: { pattern } }) {
    return processQuestion(processQuery('process', name, pattern), `process ${name.trim()}`);
  },
});
