/** What reads from a server, by either client. That of probes has no parameters, and its deadline is the caller's. */
export interface RowSource {
  rows(sql: string, parameters?: readonly [], timeoutMs?: number): Promise<Record<string, unknown>[]>;
}

/**
 * One session. Every statement has a deadline, after which the session is closed: a late response could be mistaken for
 * that to the next statement.
 */
export interface MysqlSession extends RowSource, AsyncDisposable {
  /** The server's number for this session. */
  readonly id: number;
  /**
   * The socket's file descriptor: a process that inherits it keeps the session open after our exit. Never write to it.
   */
  readonly descriptor: number;
  /** The address of our end; undefined for a Unix socket. */
  readonly localAddress: string | undefined;
  /** Aborted when the session ends unexpectedly; the reason is the error. */
  readonly lost: AbortSignal;
  rows(sql: string, parameters?: readonly unknown[], timeoutMs?: number): Promise<Record<string, unknown>[]>;
  /** Affected rows, which are changed rows and not matched ones, and the number of warnings. */
  change(
    sql: string,
    parameters?: readonly unknown[],
    timeoutMs?: number,
  ): Promise<{ changed: number; warnings: number }>;
  /** Closes the connection without notifying the server. */
  destroy(): void;
}
