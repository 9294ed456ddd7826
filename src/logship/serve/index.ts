/**
 * How shipping stands, for the kubelet and for Prometheus.
 *
 *   view (what each destination's pipeline tells when it is asked) -> lag (how long bytes wait, by looking once a second;
 *     does it take what is there, and why not) -> /readyz, with reasons to who is in the pod
 *     -> metrics (families of Prometheus) -> /metrics
 *
 * The port is the sidecar's, whose one component kolla-log-ship is with `--listen`. Liveness depends on nothing remote: who can
 * answer is alive. Readiness is off while a destination takes nothing, but for a moment, or when nothing was acknowledged for
 * long while lines wait. Paths and numbers are for everybody who reaches the port, reasons are not.
 */
export { shippingFamilies } from './metrics.ts';
export { Lags, readinessOf } from './lag.ts';
