/**
 * kolla-pod: information about the binary and its environment.
 *
 *   the helpers' tables -> completion, man, schema: text on stdout
 *   the exit codes' table -> explain; the services' data -> catalogue
 *   the binary itself -> install: a copy with its links in a shared volume
 *   the charts' needs -> passwords: a file and its Secrets; images: a list for a mirror
 *   the machine -> doctor: one finding per requirement, with the fix
 *   the objects of kolla-operator -> status, upgrade
 *
 * Runs no helper and loads none of their dependencies. Only invalid arguments are errors, and doctor's findings.
 */
import { sectionOf, type Helper } from '../cli/command.ts';
import { catalogue } from './catalogue.ts';
import { status } from './cloud/status.ts';
import { upgrade } from './cloud/upgrade.ts';
import { completionOf } from './completion/index.ts';
import { configmaps } from './configmaps/index.ts';
import { doctorOf } from './doctor/index.ts';
import { explain } from './explain.ts';
import { HELPERS } from './helpers.ts';
import { images } from './images/index.ts';
import { installOf } from './install/index.ts';
import { manOf } from './man.ts';
import { passwords } from './passwords/index.ts';
import { schemaOf } from './schema.ts';

const names = [...new Set(HELPERS.flatMap((helper) => [sectionOf(helper), helper.name]))];

export const pod: Helper = {
  name: 'kolla-pod',
  summary: 'All kolla-pod helpers in one binary, with tools for operators.',
  others: HELPERS,
  isForPeople: true,
  commands: {
    catalogue,
    completion: completionOf(all),
    configmaps,
    doctor: doctorOf(names),
    explain,
    images,
    install: installOf(all),
    man: manOf(all, ['kolla-pod', ...names]),
    passwords,
    schema: schemaOf(all),
    status,
    upgrade,
  },
};

/** The tables of all helpers, starting with kolla-pod itself. */
export function all(): readonly Helper[] {
  return [pod, ...HELPERS];
}
