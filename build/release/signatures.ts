/**
 * Signatures of what a registry stores, as `cosign sign --recursive --key` uploads them: for each manifest an artifact
 * with the tag `sha256-DIGEST.sig`, whose layer is the signed statement. They stay valid in every registry.
 */
import type { Signer } from './key.ts';
import { MEDIA, type Descriptor, type Layout } from './layout.ts';

const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
const SIGNATURE = 'dev.cosignproject.cosign/signature';
const NO_TIME = '0001-01-01T00:00:00Z';

/**
 * Signs every tagged index and manifest of a layout, and the manifests of its indexes.
 * @param repository written into the statements as the name of what is signed
 */
export async function signLayout(layout: Layout, repository: string, signer: Signer): Promise<void> {
  // A copy, because signatures add tags.
  const tagged = Array.from(layout.tags.values());
  for (const descriptor of tagged) {
    await signOne(layout, repository, signer, descriptor.digest);
    if (descriptor.mediaType !== MEDIA.index) continue;
    const index = Buffer.from(await layout.read(descriptor)).toString();
    const { manifests } = JSON.parse(index) as { readonly manifests: readonly Descriptor[] };
    for (const { digest } of manifests) await signOne(layout, repository, signer, digest);
  }
}

async function signOne(layout: Layout, repository: string, signer: Signer, digest: string): Promise<void> {
  const statement = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': repository },
        image: { 'docker-manifest-digest': digest },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );
  const layer = await layout.add(SIMPLE_SIGNING, statement);
  const config = await layout.add(MEDIA.config, {
    architecture: '',
    created: NO_TIME,
    history: [{ created: NO_TIME }],
    os: '',
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
    config: {},
  });
  const layers = [{ ...layer, annotations: { [SIGNATURE]: signer.sign(statement) } }];
  const manifest = await layout.add(MEDIA.manifest, { schemaVersion: 2, mediaType: MEDIA.manifest, config, layers });
  layout.tag(`${digest.replace(':', '-')}.sig`, manifest);
}
