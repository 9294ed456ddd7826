/**
 * Where a release comes from, as SLSA provenance in an in-toto statement, and its signed envelope:
 *
 *   files by SHA-256, images by digest -> subjects;  commit, lockfile -> resolvedDependencies;  options -> externalParameters
 *     -> statement -> DSSE envelope, signed (`cosign verify-blob-attestation --key` reads it)
 */
import { VERSION } from '../../src/core/version.ts';
import type { Signer } from './key.ts';

export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/** The state of the sources. */
export interface Source {
  /** The URI from which users clone the sources; empty if they are not published. */
  readonly uri: string;
  readonly commit: string;
  /** The time of the commit, RFC 3339. */
  readonly time: string;
  /** SHA-256 of package-lock.json. */
  readonly lockfile: string;
}

/** The requested properties of the release. */
export interface Parameters {
  readonly architectures: readonly string[];
  readonly compression: string;
  readonly repository: string;
  readonly keyUrl?: string;
}

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** A build type whose externalParameters are the options of `make release` (docs/how-to/releases.md). */
const BUILD_TYPE = 'urn:kolla-pod:make-release:1';

/** @param builder URI of the system that ran the build */
export function statementOf(
  subjects: readonly Subject[],
  source: Source,
  parameters: Parameters,
  builder: string,
): object {
  const uri = source.uri === '' ? 'git+urn:kolla-pod' : `git+${source.uri}`;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { version: VERSION, ...parameters },
        resolvedDependencies: [
          { uri: `${uri}@${source.commit}`, digest: { gitCommit: source.commit } },
          { name: 'package-lock.json', digest: { sha256: source.lockfile } },
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}

/** The statement as a DSSE envelope. */
export function envelopeOf(statement: object, signer: Signer): object {
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ]);
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: '', sig: signer.sign(signed) }],
  };
}
