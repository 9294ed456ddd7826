/**
 * kolla-init: what a container needs before its service starts.
 *
 *   options -> dependencies parsed (a typo must not cost half an hour) -> config.json's files in place, the CA store, its
 *   command in /run/kolla for kolla_start -> dependencies ready -> one line, exit 0
 *
 * Fails as its parts do: 64 a dependency that can't be read, 65 a wrong config.json, 69 a failed Job, 75 the deadline, 77
 * the API server or the system refuses, 143 SIGTERM. Everything may run again: what is right is left alone.
 */
import type { Helper } from '../../cli/command.ts';
import { checkCommand } from './check.ts';
import { initOf } from './init-of.ts';
import { planCommand } from './plan.ts';
import { rbacCommand } from './rbac.ts';
import { watchCommand } from './watch.ts';

export const init: Helper = initOf({ check: checkCommand, plan: planCommand, rbac: rbacCommand, watch: watchCommand });
