import { UsageError } from '../../core/errors.ts';
import type { Identity } from '../../config/index.ts';

/** The ids that files are written and owners satisfied with. Throws UsageError where there are none (not Linux). */
export function whoAmI(): Identity {
  if (!process.geteuid || !process.getegid || !process.getgroups) throw new UsageError('kolla-init needs Linux');
  return { uid: process.geteuid(), gid: process.getegid(), groups: process.getgroups() };
}
