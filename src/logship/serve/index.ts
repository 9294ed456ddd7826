/**
 * How shipping stands, for the kubelet and for Prometheus.
 *
 *   view (what each destination's pipeline tells when it is asked) -> lag (how long bytes wait, by looking once a second;
 *     does it take what is there, and why not) -> /livez, and /readyz with reasons to who is in the pod
 *     -> metrics (families of Prometheus) -> /metrics
 *
 * server binds these to an address for `--listen`; in kolla-sidecar its own port has the families and the reasons. Liveness
 * depends on nothing remote: who can answer is alive. Readiness is off while a destination takes nothing, but for a
 * moment, or when nothing was acknowledged for long while lines wait. Paths and numbers are for everybody
 * who reaches the port, reasons are not.
 * Fails at the start alone: ConfigError for an address that is taken, NotPermittedError for a port that needs root.
 */
export { shippingFamilies } from './metrics.ts';
export { Lags, readinessOf } from './lag.ts';
export { serveShipping } from './server.ts';
