import { must } from '../../tools/process.ts';

/** The commit of the work tree, and whether it has other changes than to evidence. */
export async function commitNow(): Promise<string> {
  const head = (await must('git', ['rev-parse', '--short=12', 'HEAD'])).trim();
  const changed = await must('git', ['status', '--porcelain', '--', ':!docs/evidence', ':!docs/reference/support.md']);
  return changed.trim() === '' ? head : `${head} with changes`;
}
