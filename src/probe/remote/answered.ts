import type { Answer } from '../../net/protocols/answer.ts';
import { healthyAs, unhealthy, type Verdict } from '../verdict.ts';

/**
 * What a server said, as a verdict; what kept it from saying anything, as the reason.
 * @param caFile of the authorities that are trusted, for messages
 */
export async function answered(ask: () => Promise<Answer>, caFile?: string): Promise<Verdict> {
  try {
    const { isGood, says } = await ask();
    return isGood ? healthyAs(says) : unhealthy(says);
  } catch (error) {
    const { networkReason } = await import('../../net/network-error.ts');
    return unhealthy(networkReason(error, caFile));
  }
}
