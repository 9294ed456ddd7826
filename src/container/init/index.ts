/**
 * kolla-init: prepares a container before its service starts.
 *
 *   options -> dependencies parsed (a typo must not cost half an hour) -> config.json's files installed, the CA store, config.json's command in /run/kolla for kolla_start -> dependencies ready -> one line, exit code 0
 *
 * Errors: 64 an invalid dependency, 65 an invalid config.json, 69 a failed Job, 75 the deadline, 77 the API server or
 * the system denies access, 143 SIGTERM. Idempotent: up-to-date files are not touched.
 */
import type { Command, Helper } from '../../cli/command.ts';
import { checkCommand } from './check.ts';
import { initOf } from './init-of.ts';
import { planCommand } from './plan.ts';
import { rbacCommand } from './rbac.ts';
import { restartCommand } from './restart.ts';
import type { INIT_COMMANDS } from './section.ts';
import { watchCommand } from './watch.ts';

export const init: Helper = initOf({
  check: checkCommand,
  plan: planCommand,
  rbac: rbacCommand,
  restart: restartCommand,
  watch: watchCommand,
} satisfies Record<(typeof INIT_COMMANDS)[number], Command>);
