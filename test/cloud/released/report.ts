import { writePage } from '../page.ts';
import { machineLine, NOT_RUN } from '../report.ts';
import { timelineTable } from '../table.ts';
import type { Stage } from '../stage.ts';
import type { Timeline } from '../timeline.ts';
import type { Transcript } from './transcript.ts';

/** Lines of one command's output; the NOTES of 13 charts would fill the page. */
const LINES = 16;

/** Writes docs/evidence/release.md from the run's observations. */
export async function writeReport(stage: Stage, timeline: Timeline, transcript: Transcript): Promise<void> {
  await writePage(
    'release',
    [
      "# From a release's directory to a server",
      '',
      await machineLine(stage, timeline, 'make cloud-release'),
      'Every command after the first ran in a copy of the release, in a mount namespace in which the checkout was an empty',
      'directory. Next to the copy were `cosign.pub`, `site.yml` (a copy of `k8s/examples/cloud/globals.yml` with the tag of',
      "the images), and `passwords.yml`. The nodes had OpenStack's images, without kolla-pod; kolla-pod and the charts came",
      'from the registry.',
      '',
      '## Commands',
      '',
      transcript.markdown(LINES),
      '## Timeline',
      '',
      ...timelineTable(timeline.steps),
      '',
      '## Not run',
      '',
      ...NOT_RUN.map((line) => `- ${line}`),
      '',
    ].join('\n'),
  );
}
