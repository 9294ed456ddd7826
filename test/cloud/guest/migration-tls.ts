/** The TLS of live migration: the Secret nova-libvirt-tls, as docs/how-to/tls.md says, and its renewal. */
import { X509Certificate } from 'node:crypto';
import { makeAuthority } from '../../cluster/authority.ts';
import type { Stage } from '../stage.ts';

export interface MigrationTls {
  /** Issues a certificate into the Secret. Resolves with its fingerprint. */
  issue(): Promise<string>;
}

/** A CA of its own, for certificates with the addresses of all compute nodes. */
export async function migrationTls(stage: Stage): Promise<MigrationTls> {
  const authority = makeAuthority('libvirt');
  const hosts = await nodeAddresses(stage);
  return {
    async issue() {
      const { certificate, key } = authority.issue({ commonName: 'nova-libvirt', hosts, keyEncipherment: true });
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'nova-libvirt-tls' },
        stringData: { 'ca.crt': authority.certificate, 'tls.crt': certificate, 'tls.key': key },
      };
      await stage.kubectl(['apply', '--filename=-'], JSON.stringify(secret));
      return new X509Certificate(certificate).fingerprint256;
    },
  };
}

/** The addresses of all nodes, the control node first. */
export async function nodeAddresses({ kubectl }: Stage): Promise<string[]> {
  return (await kubectl(['get', 'nodes', '--output=jsonpath={.items[*].status.addresses[0].address}'])).split(' ');
}
