import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountsOf } from '../../../src/container/sudo/accounts.ts';
import { decide } from '../../../src/container/sudo/decide.ts';
import { parseSudo } from '../../../src/container/sudo/parse.ts';

const FILES: Readonly<Record<string, string>> = {
  '/etc/passwd':
    'root:x:0:0:root:/root:/bin/bash\nkeystone:x:42425:42425::/var/lib/keystone:/usr/sbin/nologin\nnova:x:42436:42436::/var/lib/nova:\n',
  '/etc/group': 'root:x:0:\nkolla:x:42400:keystone\nkeystone:x:42425:\n',
};
const accounts = accountsOf((path) => FILES[path] ?? '');

function decided(
  line: string,
  { uid = 42_425, gid = 42_425, prepared = false }: { uid?: number; gid?: number; prepared?: boolean } = {},
) {
  return decide(parseSudo(line.split(' ')), { uid, gid }, { accounts, prepared });
}

function refusal(line: string, options: Parameters<typeof decided>[1] = {}): string {
  const decision = decided(line, options);
  assert.equal(decision.to, 'refuse');
  return decision.to === 'refuse' ? decision.line : '';
}

test('sudo to the current user, by name or uid, does not change users', () => {
  for (const line of ['-u keystone id', '-u #42425 id', '-u keystone -g keystone id']) {
    const decision = decided(line);
    assert.equal(decision.to, 'run');
    assert.ok(!('become' in decision), line);
  }
});

test('a runAsGroup missing from /etc/passwd is accepted', () => {
  assert.equal(decided('-u keystone id', { gid: 42_400 }).to, 'run');
});

test('a uid without a line in /etc/passwd may run commands as itself', () => {
  assert.equal(decided('-u #77 id', { uid: 77 }).to, 'run');
});

test('root runs as root, and drops to another user', () => {
  assert.deepEqual(Object.keys(decided('id', { uid: 0, gid: 0 })), ['to', 'target']);
  const decision = decided('-u nova -g kolla id', { uid: 0, gid: 0 });
  assert.deepEqual(decision.to === 'run' && decision.become, { uid: 42_436, gid: 42_400 });
});

test('no other user becomes root, another user or another group', () => {
  for (const line of ['id', '-u root id', '-u #0 id', '-u nova id', '-u keystone -g kolla id'])
    assert.match(refusal(line), /runs as keystone \(42425\), and no user may become another/, line);
});

test("a service's rootwrap that requests root runs as the current user", () => {
  for (const line of ['nova-rootwrap', '/var/lib/kolla/venv/bin/nova-rootwrap', '-n -u root nova-rootwrap']) {
    const decision = decided(`${line} /etc/nova/rootwrap.conf chown 0 /x`, { prepared: true });
    assert.equal(decision.to === 'run' && decision.target.name, 'keystone', line);
    assert.ok(!('become' in decision), line);
  }
});

test('a rootwrap for another user or group, and a file with a similar name, are rejected', () => {
  for (const line of [
    '-u nova nova-rootwrap c id',
    '-g kolla nova-rootwrap c id',
    'nova-rootwrap-x c id',
    'sh nova-rootwrap',
  ])
    assert.match(refusal(line), /no user may become another/, line);
});

test('root keeps running its rootwrap as root', () => {
  const decision = decided('nova-rootwrap c id', { uid: 0, gid: 0 });
  assert.equal(decision.to === 'run' && decision.target.uid, 0);
});

test('privsep-helper is rejected, also through a rootwrap, with the way to start it without root', () => {
  for (const line of [
    'privsep-helper --x',
    'nova-rootwrap /c privsep-helper --x',
    '/venv/nova-rootwrap /c /venv/privsep-helper',
  ])
    assert.match(
      refusal(line),
      /may become another here; .*'capabilities =' and 'helper_command = privsep-helper --config-file FILE'$/,
      line,
    );
});

test('names the user or group missing in /etc/passwd or /etc/group', () => {
  assert.equal(refusal('-u glance id'), 'unknown user glance');
  assert.equal(refusal('-u keystone -g glance id'), 'unknown group glance');
});

test('steps done by kolla-init count as done, even if invoked by path', () => {
  for (const word of ['kolla_set_configs', '/usr/local/bin/kolla_copy_cacerts', 'kolla_install_projects'])
    assert.equal(decided(`-E ${word}`, { prepared: true }).to, 'skip', word);
});

test('without kolla-init the steps of kolla_start are rejected, with the fix', () => {
  assert.match(refusal('-E kolla_set_configs'), /run kolla-init in an init container.*\/run\/kolla/);
});

test('kolla_set_configs --check does not count as done by kolla-init, and the rejection names kolla-init check', () => {
  assert.match(refusal('kolla_set_configs --check', { prepared: true }), /kolla-init check/);
});

test('a rejection names command, user and fix', () => {
  assert.equal(
    refusal('chown etcd: /var/lib/etcd/'),
    "a script asks for root to run 'chown etcd: /var/lib/etcd/', but this container runs " +
      "as keystone (42425), and no user may become another here; let kolla-init do it: name the path in config.json's directories " +
      'or permissions, on a volume',
  );
});

test('a rejection does not repeat the arguments of other commands, which may contain a password', () => {
  assert.doesNotMatch(refusal('mysql -psecret'), /secret/);
});
