/**
 * What a service makes of entries in memcached that are not its own: the charts' rendered options -> the real keystonemiddleware
 * and the real Django, on a real memcached.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { freePort } from '../../tools/port.ts';
import { filesOf } from '../charts/service-charts.ts';
import { rendering } from '../charts/support.ts';
import { askMemcacheClients, canRunMemcacheClients } from '../cluster/memcache-clients.ts';
import { canRunMemcached, startMemcached } from '../cluster/memcached.ts';

const skip = (await canRunHelm()) ?? (await canRunMemcached()) ?? (await canRunMemcacheClients()) ?? false;

/**
 * Files: a service's, the same without the options under test, the same with another key. An entry is stored by a cache made from
 * one file and read by one made from another.
 */
const TOKENS = `
import json, sys
from oslo_config import cfg
from keystonemiddleware import auth_token

def cache(file):
    conf = cfg.ConfigOpts()
    conf(['--config-file', file], project='test', default_config_dirs=[])
    made = auth_token.AuthProtocol(None, {'oslo_config_config': conf})._token_cache
    made.initialize({})
    return made

own, plain, other = sys.argv[1:]
result = {}
for name, stored, read in (
    ('a replica', own, own),
    ('a service without encryption', plain, own),
    ('a service with another key', other, own),
    ('a service without encryption, read by one like it', plain, plain),
):
    cache(stored).set(name, {'token': name})
    result[name] = cache(read).get(name)
print(json.dumps(result))
`;

/** The same for sessions. The file is the dashboard's settings. */
const SESSIONS = `
import json, sys
from django.conf import settings
from django.contrib.sessions.backends.cache import SessionStore
from django.core.cache import cache
from pymemcache.client.base import Client
from pymemcache.serde import pickle_serde

client = lambda **options: Client(settings.CACHES['default']['LOCATION'][0], default_noreply=False, **options)
raw = client()
name = lambda session: cache.make_key(session.cache_key)
user = lambda session: SessionStore(session.session_key).get('user')
saved = SessionStore()
saved['user'] = 'of-the-dashboard'
saved.save()
stored = raw.get(name(saved))
result = {'the dashboard': user(saved), 'is readable': b'of-the-dashboard' in stored}
for kind in ('a pickle', 'a session of another user', 'a value that was cut'):
    session = SessionStore()
    session['user'] = 'overwritten'
    session.save()
    if kind == 'a pickle':
        client(serde=pickle_serde).set(name(session), {'user': 'of-a-neighbour'})
    else:
        raw.set(name(session), stored if kind == 'a session of another user' else stored[:-1])
    result[kind] = user(session)
print(json.dumps(result))
`;

describe('entries in memcached', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let directory: string;
  let server: string;
  before(async () => {
    directory = stack.use(await privateDirectory('memcached-entries')).path;
    const port = await freePort();
    stack.use(await startMemcached(port));
    server = `127.0.0.1:${port}`;
  });
  after(() => stack.disposeAsync());

  const written = async (name: string, text: string) => {
    const file = join(directory, name);
    await writeFile(file, text);
    return file;
  };
  /** The files of a chart, with this server. */
  const filesOfChart = async (name: string) => {
    await using chart = await rendering(name);
    const rendered = await chart.render();
    const files = rendered.of('Deployment').flatMap((object) => [...filesOf(rendered, object)]);
    return files.map(([file, text]) => ({ file, text: text.replaceAll('memcached:11211', server) }));
  };

  for (const name of chartNames().filter(
    (one) => !['horizon', 'keystone', 'mariadb', 'memcached', 'nova-cell', 'nova-compute', 'rabbitmq'].includes(one),
  ))
    test(`${name} ignores a token that was not encrypted with its key`, async () => {
      const text = (await filesOfChart(name)).find((one) => one.text.includes('[keystone_authtoken]'))?.text ?? '';
      const files = [
        await written(`${name}.conf`, text),
        await written(`${name}-plain.conf`, text.replace(/^memcache_(?:security_strategy|secret_key) = .*\n/gm, '')),
        await written(`${name}-other.conf`, text.replace(/^memcache_secret_key = .*$/m, 'memcache_secret_key = other')),
      ];
      assert.deepEqual(await askMemcacheClients(TOKENS, files), {
        'a replica': { token: 'a replica' },
        'a service without encryption': null,
        'a service with another key': null,
        // Otherwise the entry before would be missing for another reason.
        'a service without encryption, read by one like it': {
          token: 'a service without encryption, read by one like it',
        },
      });
    });

  test("the dashboard's sessions are unreadable for others, and a session that it has not stored itself is none", async () => {
    const text = (await filesOfChart('horizon')).find(({ file }) => file === '_9998-kolla-settings.py')?.text ?? '';
    await written('dashboard_settings.py', text);
    const env = { PYTHONPATH: directory, DJANGO_SETTINGS_MODULE: 'dashboard_settings' };
    assert.deepEqual(await askMemcacheClients(SESSIONS, [], env), {
      'the dashboard': 'of-the-dashboard',
      'is readable': false,
      'a pickle': null,
      'a session of another user': null,
      'a value that was cut': null,
    });
  });
});
