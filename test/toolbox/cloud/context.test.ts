/** How `kolla-pod status` and `upgrade` find the cluster, as kubectl does. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { scriptedApi } from '../../kube/support.ts';
import { runHelper } from '../../support/helper.ts';

const COMMANDS = [['status'], ['upgrade', '2026.1', '--dry-run']];

/** A home whose kubeconfig has a context for each of two clusters; the current one is `here`. */
async function home(stack: AsyncDisposableStack): Promise<string> {
  const { path } = stack.use(await privateDirectory('context'));
  const servers = await Promise.all(['here', 'there'].map(async (name) => [name, await server(name)] as const));
  async function server(name: string) {
    const items = [
      { metadata: { name: `cloud-of-${name}`, namespace: 'openstack' }, spec: { release: '2026.1', services: {} } },
    ];
    return stack.use(
      await scriptedApi((request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ items: /openstacks(?:\?|$)/.test(request.url ?? '') ? items : [] }));
      }),
    );
  }
  const config = {
    'current-context': 'here',
    contexts: servers.map(([name]) => ({ name, context: { cluster: name, user: 'me', namespace: 'openstack' } })),
    clusters: servers.map(([name, { url, accountDirectory }]) => ({
      name,
      cluster: { server: url, 'certificate-authority': join(accountDirectory, 'ca.crt') },
    })),
    users: [{ name: 'me', user: { token: 'token' } }],
  };
  await mkdir(join(path, '.kube'));
  await writeFile(join(path, '.kube/config'), JSON.stringify(config));
  return path;
}

test('the cluster is that of the current context, or of --context', async () => {
  await using stack = new AsyncDisposableStack();
  const env = { HOME: await home(stack) };
  const shown = async (...words: string[]) => {
    const { stdout, stderr } = await runHelper('kolla-pod', ['status', ...words], { env });
    return stdout || stderr;
  };
  assert.match(await shown(), /^cloud-of-here: /);
  assert.match(await shown('--context', 'there'), /^cloud-of-there: /);
  // kubectl prefers a ServiceAccount only to a kubeconfig that does not exist; ours, to one that is not named.
  const inPod = { ...env, KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' };
  const { stdout } = await runHelper('kolla-pod', ['status', '--context', 'there'], { env: inPod });
  assert.match(stdout, /^cloud-of-there: /);
});

test('an unknown context is named with those that there are', async () => {
  await using stack = new AsyncDisposableStack();
  const env = { HOME: await home(stack) };
  for (const words of COMMANDS) {
    const { code, stderr } = await runHelper('kolla-pod', [...words, '--context', 'elsewhere'], { env });
    assert.equal(code, 65);
    assert.match(stderr, /\.kube\/config: there is no context 'elsewhere'; there is here, there/);
  }
});

test('without a cluster both ways to name one are said', async () => {
  for (const words of COMMANDS) {
    const { code, stderr } = await runHelper('kolla-pod', words, { env: { HOME: '/nonexistent' } });
    assert.equal(code, 65);
    assert.match(
      stderr,
      /no cluster is named: there is no \/nonexistent\/\.kube\/config, and this is no Pod \(KUBERNETES_SERVICE_HOST is not set\)\. Give --kubeconfig FILE and, if it has several clusters, --context NAME, or run it in a Pod with a ServiceAccount/,
    );
  }
});

test('a kubeconfig that does not exist is named with what it should be', async () => {
  const words = ['status', '--kubeconfig', '/nonexistent/config'];
  const { code, stderr } = await runHelper('kolla-pod', words, { env: { HOME: '/nonexistent' } });
  assert.equal(code, 65);
  assert.match(
    stderr,
    /\/nonexistent\/config: there is no such file; it is a kubeconfig, as `kubectl config view --raw`/,
  );
  assert.doesNotMatch(stderr, /ENOENT/);
});
