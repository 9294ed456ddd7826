import type { RecordRow } from '../../../src/migrate/record/record.ts';

/** Records of Keystone, the latest first, from `RELEASE PHASE STATE`, the latest last. */
export function recordRows(...lines: readonly string[]): RecordRow[] {
  const rows = lines.map((line, i): RecordRow => {
    const [release = '', phase = '', state = ''] = line.split(' ');
    const about = { service: 'keystone', holder: '', work: '', started: '', ended: '', exitCode: 0, output: '' };
    return { ...about, release, phase, state: state as RecordRow['state'], token: i + 1 };
  });
  return rows.toReversed();
}
