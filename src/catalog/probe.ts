/** How one container of a service is asked whether it is healthy: what Kolla asks, and what `kolla-probe` should. */
export interface Probe {
  /** As kolla-ansible names it: `nova_compute`. */
  readonly container: string;
  /**
   * The test that kolla-ansible declares for it, with its defaults and Debian's names. Words in capitals are what it has
   * no default for: ADDRESS is the one that the API listens on.
   */
  readonly declared?: string;
  /**
   * Words of `kolla-probe` for the liveness probe, and with more patience for the startup probe. A container that fails
   * either is restarted, so they ask nothing that another pod's failure could change.
   */
  readonly liveness: string;
  /** Words of `kolla-probe` for the readiness probe. */
  readonly readiness: string;
  readonly notes?: string;
}

const BROKER_PORT = 5672;
export const DATABASE_PORT = 3306;

/**
 * An API: ready when it answers. It is alive as long as it accepts connections: an answer may wait for a database.
 * @param path with a leading `/`; Kolla asks some without any
 */
export function api(container: string, port: number, path: string = ''): Probe {
  return {
    container,
    declared: `healthcheck_curl http://ADDRESS:${port}${path}`,
    liveness: `tcp 127.0.0.1:${port}`,
    readiness: `http http://127.0.0.1:${port}${path || '/'}`,
  };
}

/** An agent or worker without a port of its own: ready when it is connected to the broker, or whatever has that port. */
export function worker(container: string, process: string, port: number = BROKER_PORT): Probe {
  return {
    container,
    declared: `healthcheck_port ${process} ${port}`,
    liveness: `process ${process}`,
    readiness: `connected ${process} ${port}`,
  };
}

/** A server whose answers say no more than that it listens. */
export function listener(container: string, process: string, port: number): Probe {
  const listens = `listen ${port} --process ${process}`;
  return { container, declared: `healthcheck_listen ${process} ${port}`, liveness: listens, readiness: listens };
}
