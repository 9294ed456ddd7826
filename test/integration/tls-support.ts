import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory } from '../../tools/directory.ts';
import { rendering, textAt, sourcesOf, type Rendered } from '../charts/support.ts';
import { workloadsOf } from '../charts/service-charts.ts';
import { makeAuthority } from '../cluster/authority.ts';

/** What the kubelet mounts at /etc/kolla-tls, as a directory, and the chart's files with its paths. */
export interface TlsFiles extends AsyncDisposable {
  readonly directory: string;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Replaces /etc/kolla-tls in a text. */
  here(text: string): string;
  /** Replaces the certificate with a renewed one, as an issuer does. */
  renew(): Promise<string>;
}

/** @param hosts the names and addresses of the server that docs/how-to/tls.md requires */
export async function tlsFiles(...hosts: string[]): Promise<TlsFiles> {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await privateDirectory('tls-charts'));
  const authority = makeAuthority('openstack CA');
  const at = (name: string) => join(directory, name);
  for (const name of ['ca', 'server']) await mkdir(at(name));
  await writeFile(at('ca/ca.crt'), authority.certificate);
  const renew = async () => {
    const { certificate, key } = authority.issue({ commonName: hosts[0] ?? 'server', hosts: [...hosts, '127.0.0.1'] });
    await writeFile(at('server/tls.key'), key, { mode: 0o600 });
    await writeFile(at('server/tls.crt'), certificate);
    return certificate;
  };
  await renew();
  const kept = stack.move();
  return {
    directory,
    caFile: at('ca/ca.crt'),
    certFile: at('server/tls.crt'),
    keyFile: at('server/tls.key'),
    here: (text) => text.replaceAll('/etc/kolla-tls', directory),
    renew,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A file that the first workload of a chart has next to config.json, rendered with global.tls.enabled. */
export async function tlsFileOf(chart: string, name: string, values: object = {}): Promise<string> {
  const rendered = await tlsRendering(chart, values);
  const [workload] = workloadsOf(rendered);
  return textAt(rendered, (workload && sourcesOf(workload)[name]) ?? '');
}

async function tlsRendering(chart: string, values: object = {}): Promise<Rendered> {
  await using helm = await rendering(chart);
  return await helm.render({ ...values, global: { tls: { enabled: true } } });
}
