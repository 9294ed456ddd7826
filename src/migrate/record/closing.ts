import type { MysqlSession } from '../../mysql/index.ts';
import { closeFence, type Claim, type FenceState } from '../lock/fence.ts';
import { closeRecord } from './record.ts';
import { repeated } from '../lock/repeated.ts';

export interface Ended {
  readonly state: FenceState;
  readonly exitCode: number;
  /** The command's last lines. */
  readonly output: string;
  /** Whether none of its sessions can go on: it ended by itself. */
  readonly isOver: boolean;
}

/**
 * Writes into fence and record how our migration ended: both or, when a later token has the fence, neither. On Galera
 * one who takes the fence on another node meanwhile undoes the whole of it.
 * @returns whether it stands there
 */
export async function closeMigration(
  session: MysqlSession,
  claim: Claim,
  token: number,
  ended: Ended,
): Promise<boolean> {
  return await repeated(async () => {
    await session.change('START TRANSACTION');
    try {
      const isOurs = await closeFence(session, token, ended);
      const isRecorded = isOurs && (await closeRecord(session, claim, { token, ...ended }));
      await session.change(isOurs ? 'COMMIT' : 'ROLLBACK');
      return isRecorded;
    } catch (error) {
      if (!session.lost.aborted) await session.change('ROLLBACK').catch(() => session.destroy());
      throw error;
    }
  });
}
