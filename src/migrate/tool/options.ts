import type { Option, Values } from '../../cli/option.ts';

/** Options for a service's own commands. */
export const TOOL_OPTIONS = [
  {
    flag: 'set',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_SET',
    repeat: true,
    help: "NAME=VALUE setting for the service's own commands",
    details: 'The settings are listed by `kolla-pod catalogue SERVICE`.',
    example: 'cell=cell2',
  },
] as const satisfies readonly Option[];

export type ToolOptions = Values<typeof TOOL_OPTIONS>;
