import type { Helper } from '../cli/command.ts';
import { explain } from './explain.ts';
import { HELPERS } from './helpers.ts';

export const pod: Helper = {
  name: 'kolla-pod',
  summary: 'All helpers in one program, and what it can tell about them.',
  others: HELPERS,
  commands: { explain },
};
