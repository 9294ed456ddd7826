/** `node build/docs.ts`: writes the generated pages under docs/ and of the charts. A test fails when they are stale. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { all } from '../src/toolbox/index.ts';
import { SERVICES } from '../src/catalog/index.ts';
import { ROOT } from './bundle.ts';
import { CHARTS } from './charts.ts';
import { cataloguePage } from './docs/catalogue.ts';
import { chartValuesPage } from './docs/chart-values.ts';
import { withPods } from './docs/charts.ts';
import { metricsPage } from './docs/metrics.ts';
import { cliPage, errorsPage, GENERATED } from './docs/pages.ts';
import { withProbes } from './docs/probes.ts';
import { rbacPage } from './docs/rbac.ts';
import { supportPage, type SupportResults } from './docs/support.ts';

mkdirSync(join(ROOT, 'docs/reference'), { recursive: true });
writeFileSync(join(ROOT, 'docs/reference/cli.md'), `${cliPage(all())}\n`);
writeFileSync(join(ROOT, 'docs/reference/errors.md'), errorsPage());
writeFileSync(join(ROOT, 'docs/reference/rbac.md'), rbacPage(GENERATED));
writeFileSync(join(ROOT, 'docs/reference/catalogue.md'), cataloguePage(SERVICES, GENERATED));
writeFileSync(join(ROOT, 'docs/reference/metrics.md'), metricsPage(GENERATED));
writeFileSync(join(ROOT, 'docs/reference/chart-values.md'), chartValuesPage(GENERATED));
const support = JSON.parse(readFileSync(join(ROOT, 'docs/evidence/support.json'), 'utf8')) as SupportResults;
writeFileSync(join(ROOT, 'docs/reference/support.md'), supportPage(support, GENERATED));
const probePage = join(ROOT, 'docs/reference/kolla-probe.md');
writeFileSync(probePage, withProbes(readFileSync(probePage, 'utf8')));
const chartsPage = join(CHARTS, 'README.md');
writeFileSync(chartsPage, withPods(readFileSync(chartsPage, 'utf8')));
