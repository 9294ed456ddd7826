import { dirname } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { WatchStatus } from '../../config/watch/index.ts';
import { FORMAT } from '../../core/format.ts';
import { configRecordFile, readConfigRecord, type ConfigRecord } from '../../fs/config-record.ts';
import { replace } from '../../fs/replacer.ts';
import { mayWriteIn } from '../../fs/access.ts';

const MODE = 0o644;

/** What an earlier watch has installed; undefined if it left no readable record. */
export function installedBefore(root: string, log: Log): string | undefined {
  try {
    return readConfigRecord(root)?.installed;
  } catch (error) {
    log.warn(`the record of an earlier watch is not used: ${configRecordFile(root)}: ${messageOf(error)}`);
    return undefined;
  }
}

/**
 * Publishes a watch's state for a probe in another container: writes each changed status. If there is no writable volume
 * at /run/kolla (below `root`), nothing is written.
 */
export function watchRecorder(root: string, log: Log): (next: WatchStatus) => void {
  let [last, problem] = ['', ''];
  const write = (record: ConfigRecord) => {
    if (!mayWriteIn(dirname(configRecordFile(root)))) return void (last = '');
    try {
      const content = Buffer.from(`${JSON.stringify({ format: FORMAT, ...record })}\n`);
      replace(configRecordFile(root), { content, mode: MODE, uid: -1, gid: -1 });
      problem = '';
    } catch (error) {
      // A failure to write the record must not affect the configuration.
      if (problem !== messageOf(error)) log.warn(`cannot write the record for kolla-probe config: ${messageOf(error)}`);
      problem = messageOf(error);
      last = '';
    }
  };
  return ({ state, version, looked, configMap, installed, problem: why }) => {
    if (state === 'starting') return;
    const record = { state, version, looked, configMap, installed, problem: why };
    if (JSON.stringify(record) === last) return;
    last = JSON.stringify(record);
    write(record);
  };
}
