/**
 * State of shipping for the kubelet and Prometheus.
 *
 *   view (state of each destination's pipeline, on demand) -> lag (age of waiting bytes, sampled once a second;
 *     whether and why a destination does not accept writes) -> /readyz, with reasons only within the Pod
 *     -> metrics (Prometheus families) -> /metrics
 *
 * The server is the sidecar's; with `--listen` kolla-log-ship is its only component. Liveness depends on nothing
 * remote. Readiness fails while a destination does not accept writes for more than a moment, or when nothing was
 * acknowledged for long while lines wait. Paths and numbers are visible to every client of the port, reasons are not.
 */
export { shippingFamilies } from './metrics.ts';
export { Lags, readinessOf } from './lag.ts';
