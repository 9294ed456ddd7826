import type { MysqlSession } from '../../mysql/index.ts';
import { closeFence, type Claim, type FenceState } from '../fence/fence.ts';
import { closeRecord } from './record.ts';
import { repeated } from '../fence/repeated.ts';

export interface Ended {
  readonly state: FenceState;
  readonly exitCode: number;
  /** The last lines of the command. */
  readonly output: string;
  /** Whether none of the command's sessions can continue, because it exited by itself. */
  readonly isOver: boolean;
}

/**
 * Writes to fence and record how our migration ended: both or, if a later token has the fence, neither. On Galera, a
 * concurrent takeover on another node rolls back the whole transaction.
 * @returns whether both were written
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
