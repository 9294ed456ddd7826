import { OPTIONS } from './options.ts';

export const INIT_COMMANDS = ['check', 'plan', 'rbac', 'restart', 'watch'] as const;

/** What defines kolla-init's section of kolla-pod.yaml, without the code of its commands. */
export const INIT = { name: 'kolla-init', main: { options: OPTIONS }, commands: {}, elsewhere: INIT_COMMANDS } as const;
