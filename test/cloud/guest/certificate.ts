import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { until } from '../../support/until.ts';
import type { Client } from '../client.ts';
import { movedLive } from './migrates.ts';
import { nodeAddresses } from './migration-tls.ts';
import type { GuestOperation } from './operation.ts';
import { temporaryGuest } from './world.ts';

const LIBVIRT_PORT = 16514;

/** Prints the certificate of a server that it does not trust. */
const ASK = `
import ssl, sys
print(ssl.get_server_certificate((sys.argv[1], int(sys.argv[2]))))`;

async function served(client: Client, host: string): Promise<string> {
  return new X509Certificate(await client.exec('python3', '-c', ASK, host, String(LIBVIRT_PORT))).fingerprint256;
}

/** A renewed certificate is used by libvirtd, and by a QEMU that was started before. */
export const certificate: GuestOperation = {
  title: "libvirt's certificate is renewed under a guest, which then migrates live with it",
  async run(world) {
    const { client, stage } = world;
    const hosts = (await nodeAddresses(stage)).slice(1);
    await using guest = await temporaryGuest(world, 'renewed');
    const before = await Promise.all(hosts.map((host) => served(client, host)));
    const issued = await world.tls.issue();
    assert.ok(!before.includes(issued));
    const began = performance.now();
    for (const host of hosts)
      await until(`libvirtd of ${host} to serve the new certificate`, async (saw) => {
        const now = await served(client, host);
        saw(now);
        return now === issued || undefined;
      });
    const seconds = (performance.now() - began) / 1000;
    const { from, to } = await movedLive(world, guest);
    return `served on ${hosts.length} nodes after ${seconds.toFixed(0)} s; ${from} → ${to}`;
  },
};
