/** The servers that the tests of log shipping run on. A name has the version, which the support matrix shows. */
import { canRunElasticsearch9, ELASTICSEARCH_9, startElasticsearch9 } from '../cluster/elasticsearch-9.ts';
import { ELASTICSEARCH_8 } from '../cluster/elasticsearch-distribution.ts';
import { canRunSecureElasticsearch, startElasticsearch } from '../cluster/elasticsearch.ts';
import { canRunOpenSearch, openSearchVersion, startOpenSearch, type OpenSearchRelease } from '../cluster/opensearch.ts';
import type { Settings } from '../cluster/search-server.ts';
import type { ServerKind } from './kolla-log-ship-servers-support.ts';

const SECURE = 'with TLS and a password';

export const SECURE_ELASTICSEARCH_8_KIND: ServerKind = {
  name: `Elasticsearch ${ELASTICSEARCH_8} ${SECURE}`,
  can: canRunSecureElasticsearch,
  start: () => startElasticsearch({ secure: true }),
};

export const ELASTICSEARCH_9_KIND: ServerKind = {
  name: `Elasticsearch ${ELASTICSEARCH_9}`,
  can: canRunElasticsearch9,
  start: startElasticsearch9,
};

export const OPENSEARCH_2_KIND: ServerKind = openSearch('2');
export const OPENSEARCH_3_KIND: ServerKind = openSearch('3');
export const SECURE_OPENSEARCH_3_KIND: ServerKind = openSearch('3-secure', {
  'plugins.security.restapi.roles_enabled': 'all_access',
});

function openSearch(release: OpenSearchRelease, settings: Settings = {}): ServerKind {
  return {
    name: `OpenSearch ${openSearchVersion(release)}${release === '3-secure' ? ` ${SECURE}` : ''}`,
    can: canRunOpenSearch(release),
    start: () => startOpenSearch(release, { settings }),
  };
}
