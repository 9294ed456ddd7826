/** The health checks of one container: Kolla's, and the ones that kolla-pod recommends. */
export interface Probe {
  /** kolla-ansible's name: `nova_compute`. */
  readonly container: string;
  /**
   * kolla-ansible's health check, with its defaults and Debian's names. Words in capitals have no default: ADDRESS is
   * the API's listen address.
   */
  readonly declared?: string;
  /** The first release of kolla-ansible whose last version has that check disabled by default. */
  readonly disabledSince?: number;
  /**
   * Arguments of `kolla-probe` for liveness and, with more patience, startup. A failure restarts the container, so they
   * must not depend on another Pod.
   */
  readonly liveness: string;
  /** Arguments of `kolla-probe` for readiness. */
  readonly readiness: string;
  readonly notes?: string;
}

const BROKER_PORT = 5672;
export const DATABASE_PORT = 3306;

/**
 * An API: ready when it responds. Alive while it accepts connections: a response may wait for a database.
 * @param path with a leading `/`; Kolla requests some APIs without a path
 */
export function api(container: string, port: number, path: string = ''): Probe {
  return {
    container,
    declared: `healthcheck_curl http://ADDRESS:${port}${path}`,
    liveness: `tcp 127.0.0.1:${port}`,
    readiness: `http http://127.0.0.1:${port}${path || '/'}`,
  };
}

/** An agent or worker without its own port. It is ready when connected to the broker, or to the server on that port. */
export function worker(container: string, process: string, port: number = BROKER_PORT): Probe {
  return {
    container,
    declared: `healthcheck_port ${process} ${port}`,
    liveness: `process ${process}`,
    readiness: `connected ${process} ${port}`,
  };
}

/**
 * An agent that connects to the broker only when it has something to send: idle, it has no connection, so it is ready
 * while it runs.
 * @param disabledSince the release of kolla-ansible that gave its check up for that reason
 */
export function idleWorker(container: string, process: string, disabledSince?: number): Probe {
  return {
    ...worker(container, process),
    readiness: `process ${process}`,
    ...(disabledSince === undefined ? {} : { disabledSince }),
    notes: 'Idle, it has no connection to the broker.',
  };
}

/** A server for which only its listening port is checked. */
export function listener(container: string, process: string, port: number): Probe {
  const listens = `listen ${port} --process ${process}`;
  return { container, declared: `healthcheck_listen ${process} ${port}`, liveness: listens, readiness: listens };
}
