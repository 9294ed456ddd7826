import { Transport } from '@elastic/transport';

export { Client } from '@elastic/elasticsearch';

type TransportOptions = ConstructorParameters<typeof Transport>[0];

/**
 * The client's transport without what ties it to one product: it refuses servers that don't call themselves
 * Elasticsearch, after they have done the work, and names a content type of its own major version, which OpenSearch
 * and older servers refuse. Both are options of the transport that the client does not pass on.
 */
export class AnyServerTransport extends Transport {
  constructor(options: TransportOptions) {
    const vendoredHeaders = {
      jsonContentType: 'application/json',
      ndjsonContentType: 'application/x-ndjson',
      accept: 'application/json',
    };
    // Its type forgets null, which is how the product check is switched off.
    super({ ...options, productCheck: null, vendoredHeaders } as unknown as TransportOptions);
  }
}
