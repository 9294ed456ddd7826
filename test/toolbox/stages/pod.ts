import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageChart } from '../../../build/charts.ts';
import { says, type SetStage, type Stages } from './stage.ts';

export const POD: Stages = {
  'kolla-pod catalogue': says(/^keystone +Identity +all, expand, migrate, contract +yes$/m),
  'kolla-pod catalogue nova': says(/^online +nova-manage db online_data_migrations$/m),
  'kolla-pod catalogue -o json': says(/^ {2}"skyline": \{/m),
  'kolla-pod completion bash': says(/^complete .*-F _kolla_pod .*kolla-probe/m),
  'kolla-pod completion fish': says(/^complete -c kolla-probe /m),
  'kolla-pod completion tcsh': says(/^complete kolla-probe 'p@/m),
  'kolla-pod doctor': says(/WHAT +FOUND/),
  'kolla-pod doctor init -o json': says(/"what": "config.json"/),
  'kolla-pod explain 69': says(/^69 unavailable/),
  'kolla-pod explain': says(/^0 ok[^]*^143 terminated/m),
  'kolla-pod images --values globals.yml': chartsIn('charts'),
  'kolla-pod images keystone --values globals.yml --charts dist/charts': chartsIn('dist/charts'),
  'kolla-pod install /opt/kolla-pod': installs('/opt/kolla-pod'),
  'kolla-pod install /shared': installs('/shared'),
  'kolla-pod man probe': says(/^\.TH KOLLA-PROBE 8/),
  'kolla-pod man': says(/^\.TH KOLLA-POD 8/),
  'kolla-pod passwords passwords.yml': () => Promise.resolve({ stderr: /passwords\.yml: \d\d passwords added/ }),
  'kolla-pod passwords /etc/kolla/passwords.yml --values globals.yml | kubectl apply -n openstack --server-side -f -':
    async (directory) => {
      await writeFile(join(directory, 'passwords.yml'), 'database_password: kept\n');
      await writeFile(join(directory, 'globals.yml'), 'global: { passwordSecrets: { "*": { secret: openstack } } }\n');
      // Because there is no cluster, the output is checked instead of applied.
      const replace = { '/etc/kolla/': '', 'kubectl apply -n openstack --server-side -f -': 'cat' };
      return { replace, stdout: /^kind: Secret\nmetadata: \{ name: openstack \}\n[^]*database_password: /m };
    },
  'kolla-pod schema': says(/"\$schema"/),
  'kolla-pod schema --log-format json': says(/"\$schema"/),
};

function chartsIn(place: string): SetStage {
  return async (directory) => {
    packageChart('keystone', join(directory, place));
    await writeFile(join(directory, 'globals.yml'), 'global: { registry: a.test, kollaPod: { delivery: baked } }\n');
    return { stdout: /^a\.test\/keystone:\S+\n$/ };
  };
}

/** If run from source, there is no binary; any executable will do. */
function installs(word: string): SetStage {
  return (directory) =>
    Promise.resolve({
      replace: { [word]: join(directory, 'volume') },
      env: { KOLLA_POD_INSTALL_FROM: process.execPath },
      stderr: /installed/,
    });
}
