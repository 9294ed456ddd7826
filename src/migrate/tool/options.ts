import type { Option, Values } from '../../cli/option.ts';

/** Options for a service's own commands. */
export const TOOL_OPTIONS = [
  {
    flag: 'set',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_SET',
    repeat: true,
    help: "NAME=VALUE setting of the service's own commands",
    details: 'As `kolla-pod catalogue SERVICE` lists them.',
    example: 'cell=cell2',
  },
] as const satisfies readonly Option[];

export type ToolOptions = Values<typeof TOOL_OPTIONS>;
