import { UsageError } from '../../core/errors.ts';
import { formatAddress } from '../../net/dial/address.ts';
import { check } from '../ask/check.ts';
import { answered, addressOf } from '../remote/server.ts';
import { TLS_OPTIONS, tlsOf } from '../remote/tls.ts';

/** With it the call is one frame of HTTP/2. */
const SERVICE_MAX_BYTES = 8192;

/** Checks that the gRPC health service (grpc.health.v1) reports SERVING. */
export const grpc = check({
  word: 'grpc',
  summary: 'Checks that the gRPC health service reports SERVING.',
  description:
    "The same call as the kubelet's own grpc probe, but also over TLS, to other hosts, and with a " +
    'reason. Without TLS the server must accept HTTP/2 with prior knowledge (h2c), as gRPC servers do.',
  operands: [{ name: 'HOST:PORT', help: 'address; IPv6 in brackets' }],
  options: [
    {
      flag: 'service',
      type: 'string',
      env: 'KOLLA_PROBE_SERVICE',
      default: '',
      help: 'gRPC service to check (default: the server as a whole)',
      example: 'readiness',
    },
    ...TLS_OPTIONS,
  ],
  examples: [
    { line: 'kolla-probe grpc 127.0.0.1:2379', does: 'healthy if the server reports SERVING' },
    { line: 'kolla-probe grpc 127.0.0.1:9090 --service readiness --timeout 2s', does: 'for a single service' },
  ],
  prepare({ operands: [text = ''], options }) {
    const at = addressOf('grpc', text);
    const tls = tlsOf('grpc', options);
    const { service } = options;
    if (Buffer.byteLength(service) > SERVICE_MAX_BYTES)
      throw new UsageError(`grpc: --service of more than ${SERVICE_MAX_BYTES} bytes`);
    return {
      subject: `grpc ${formatAddress(at)}${service === '' ? '' : ` ${service}`}`,
      hosts: [at.host],
      ask: (signal, tell = () => {}) =>
        answered(async () => {
          const { grpcHealth } = await import('../../net/protocols/grpc-health.ts');
          return await grpcHealth(at, { service, tls, signal }, tell);
        }, tls),
    };
  },
});
