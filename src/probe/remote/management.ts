import type { Trust } from '../../cli/tls-option.ts';
import { askJson } from '../../net/json.ts';
import { networkReason, plainReason } from '../../net/dial/network-error.ts';
import { oneLine } from '../../core/one-line.ts';
import { healthyAs, unhealthy, type CheckResult } from '../ask/verdict.ts';
import { readLogin, type LoginValues } from './login.ts';

export interface ManagementAsk {
  readonly url: URL;
  readonly options: LoginValues;
  readonly trust: Trust;
}

/** The requests, each with the prefix of its error. */
const CHECKS = [
  ['local-alarms', 'an alarm is in effect'],
  ['virtual-hosts', 'a virtual host is down'],
] as const;

/** Timeout of a response, longer than any deadline of a probe, so that the probe's deadline expires first. */
const ANSWER_MS = 60_000;

/** Queries a node's management API for alarms and virtual hosts. https://www.rabbitmq.com/docs/http-api-reference */
export async function askManagement(ask: ManagementAsk, signal: AbortSignal): Promise<CheckResult> {
  try {
    const { user = '', password = '' } = (await readLogin(ask.options)) ?? {};
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const reasons = await Promise.all(
      CHECKS.map(async ([name, what]) => {
        const { origin, pathname } = ask.url;
        const url = new URL(`${origin}${pathname.replace(/\/$/, '')}/api/health/checks/${name}`);
        const answer = await askJson(
          { method: 'GET', url, headers: { authorization } },
          { signal, answerMs: ANSWER_MS, ...ask.trust },
        );
        return whyBad(answer, what, user);
      }),
    );
    const bad = [...new Set(reasons.filter((reason) => reason !== undefined))];
    return bad.length === 0 ? healthyAs('no alarm') : unhealthy(bad.join('; '));
  } catch (error) {
    const isPlain = ask.url.protocol === 'http:';
    const reason = isPlain ? plainReason(error, 'use https://') : networkReason(error, ask.trust.caFile);
    return unhealthy(`the management API at ${ask.url.host}: ${reason}`);
  }
}

function whyBad({ status, body }: { status: number; body: unknown }, what: string, user: string): string | undefined {
  if (status === 200) return undefined;
  if (status === 401)
    return `the management API rejects '${user}': the password is wrong, or the user has no tag such as management`;
  if (status !== 503) return `the management API returns status ${status}: is it RabbitMQ's, of 3.8 or later?`;
  const { reason, alarms, ...rest } = (body ?? {}) as { reason?: unknown; alarms?: { resource?: unknown }[] };
  const resources = [...new Set((alarms ?? []).map(({ resource }) => String(resource)))];
  if (resources.length > 0) return `${what} (${resources.join(', ')}): publishers are blocked`;
  const names = Object.values(rest).flatMap((value) => (Array.isArray(value) ? value.map(String) : []));
  return oneLine(
    `${what}${names.length > 0 ? ` (${names.join(', ')})` : ''}${typeof reason === 'string' ? `: ${reason}` : ''}`,
  );
}
