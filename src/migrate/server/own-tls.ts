import { UsageError } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import { trustOf, type TlsValues } from '../../cli/tls-option.ts';
import { mysqlTlsOf, type MysqlTls } from '../../mysql/index.ts';

export interface OwnTls extends TlsValues {
  /** Set if the CA bundle may be meant for other servers, so that it may be unused here. */
  readonly sharesCaFile?: true | undefined;
}

/**
 * TLS of our own sessions: the URL's `ssl_*`, unless an option overrides them. The service's tool reads the URL itself.
 * @param place where the URL comes from, for messages
 * @throws UsageError for options that contradict the URL
 */
export function ownTls(values: OwnTls, url: MysqlTls | undefined, place: string): MysqlTls | undefined {
  const { tls, caFile, sharesCaFile } = values;
  if (tls === 'off' && url !== undefined) {
    throw new UsageError(
      `--tls off contradicts ssl_* in the database URL (${place}): take them out, or leave --tls out`,
    );
  }
  if (tls === undefined && (caFile === undefined || (sharesCaFile && !url?.isVerified))) return url;
  const trust = trustOf(values, url === undefined ? 'off' : 'verify');
  if (trust === undefined) return undefined;
  const asked = mysqlTlsOf({ ...trust, caFile: caFile ?? (trust.insecure ? undefined : url?.caFile) });
  // --ca-file alone sets another CA bundle, but no stricter verification than the URL's.
  const isAnyNameGood = tls === undefined && url?.isVerified === true && !url.verifyIdentity;
  return {
    ...asked,
    verifyIdentity: asked.verifyIdentity && !isAnyNameGood,
    ...defined({ certFile: url?.certFile, keyFile: url?.keyFile }),
  };
}
