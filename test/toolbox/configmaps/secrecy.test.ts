import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../../src/toolbox/configmaps/secrecy.ts';
import { LINE_RULES } from '../../../src/toolbox/configmaps/line-rules.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { configmaps, contentOf, printed, writeService } from './directory.ts';

const RANDOM = 'Zk3qT9vXb2LmN8pRs5Wy7Ha1Jd4Gf6Ce';
const KEY = `-----BEGIN RSA PRIVATE KEY-----\nMIIEhidden\n-----END RSA PRIVATE KEY-----\n`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\n${RANDOM}\n${RANDOM}=\n-----END CERTIFICATE-----\n`;

/** Every file contains the secret `hidden`, in the forms found in kolla-ansible's files. */
const SECRETS: readonly [path: string, text: string | Buffer][] = [
  ['keystone.conf', '[database]\nconnection = mysql+pymysql://keystone:hidden@db/keystone\n'],
  ['nova.conf', '[DEFAULT]\ntransport_url = rabbit://openstack:hidden@10.0.0.1:5672//\n'],
  ['glance-api.conf', '[keystone_authtoken]\nusername = glance\npassword = hidden\n'],
  ['memcache.conf', '[keystone_authtoken]\nmemcache_secret_key=hidden\n'],
  ['quoted.conf', '[a]\nadmin_password = "hidden with spaces"\n'],
  ['below.conf', '[a]\nadmin_password =\n  hidden\n'],
  ['number.conf', '[a]\npin = 48151623\nother = hidden\n'],
  ['number-key.conf', '[a]\nsecret_key = 48151623\nother = hidden\n'],
  ['below-comment.conf', '[a]\nadmin_password =\n# not yet\n\n  hidden\n'],
  ['below-crlf.conf', '[a]\r\nadmin_password =\r\n  hidden\r\n'],
  ['below-hash.conf', '[a]\nadmin_password =\n  #hidden\nb = c\n'],
  ['comma.conf', '[a]\npassword = ,hidden\n'],
  ['semicolon.conf', '[a]\npassword = ;hidden\n'],
  ['bracket.conf', '[a]\npassword = <hidden\n'],
  ['hash.conf', '[a]\npassword = #hidden\n'],
  ['after-word.conf', '[a]\npassword = none,hidden\n'],
  ['after-truth.conf', '[a]\npassword = true hidden\n'],
  ['after-quotes.conf', '[a]\npassword = "" hidden\n'],
  ['blank-url.conf', '[database]\nconnection = mysql+pymysql://keystone:hidden, with spaces@db/keystone\n'],
  ['bind.conf', '[ldap]\nbindpw = hidden\n'],
  ['sha.conf', '[users]\nadmin = {SSHA}hidden\n'],
  ['section.conf', '[passwords]\nadmin = hidden\n'],
  ['section-indented.conf', '[passwords]\n  admin = hidden\n'],
  ['section-below.conf', '[passwords]\nadmin =\n  hidden\n'],
  ['comment.conf', '[a]\n# password = hidden\n'],
  ['slash.conf', '[neutron]\nmetadata_proxy_shared_secret = /hidden/x\n'],
  ['cert.pem', CERTIFICATE + KEY],
  ['server.pem', KEY],
  ['id_rsa', KEY.replaceAll('RSA', 'OPENSSH')],
  ['backup', KEY.replace('RSA ', 'ENCRYPTED ')],
  ['fernet-keys/0', 'hidden'],
  ['credential-keys/1', 'hidden'],
  ['ceph.client.glance.keyring', '[client.glance]\n\tkey = AQhidden==\n'],
  ['ceph.conf', '[client]\n  key = AQhidden==\n'],
  ['clouds.yaml', 'clouds:\n  a:\n    auth:\n      password: hidden\n'],
  ['block.yaml', 'a:\n  password: |\n    hidden\n'],
  ['list.yaml', 'passwords:\n  - hidden\n'],
  ['flush-list.yaml', 'passwords:\n- hidden\n'],
  ['bare-list.yaml', '# of nothing\n- hidden\n'],
  ['named.yaml', '- name: OS_PASSWORD\n  value: hidden\n'],
  ['named.json', '{"env": [{"name": "a", "value": "b"}, {"name":"secret_key","value":"hidden"}]}'],
  ['bare-list.json', '["hidden"]'],
  ['flush.json', '{"a":\n{"password":\n"hidden"}}'],
  ['item.yaml', 'users:\n  - password: hidden\n'],
  ['data.json', '{"users": [{"name": "a", "password": "hidden"}]}'],
  ['minified.json', '{"secret":"hidden"}'],
  ['hash.json', '{"a": "$2y$10$hidden"}'],
  ['.erlang.cookie', 'hidden'],
  ['auth.conf', '[credentials-defgrp]\nauthname=nova\npassword=hidden\n'],
  ['my.cnf', '[sst]\nwsrep_sst_auth = backup:hidden\n'],
  ['haproxy.cfg', 'listen stats\n  stats auth openstack:hidden\n'],
  ['redis.conf', 'masterauth hidden\nrequirepass hidden\n'],
  ['redis-comma.json', '{"a": "b -redis.password=none,hidden -c"}'],
  ['wsgi.conf', 'OIDCCryptoPassphrase hidden\n'],
  ['openrc.sh', 'export OS_PASSWORD=hidden\n'],
  ['run.sh', 'proxysql-admin --password hidden\n'],
  ['libvirt.xml', '<secret><value>hidden</value></secret>'],
  ['users.xml', '<user>a</user><password>hidden</password>'],
  ['local_settings.py', "SECRET_KEY = 'hidden'\n"],
  ['dict.py', "HOSTS = {'PASSWORD': 'hidden'}\n"],
  ['fluent.conf', '<match>\n  password hidden\n</match>\n'],
  ['dsn.conf', 'dsn=openstack:hidden@tcp(db:3306)/x\n'],
  ['run.conf', `[a]\nurl = ${RANDOM}hidden\n`],
  ['one-word', 'hidden'],
  ['unknown', 'hidden here, in an unknown form\n'],
  ['store.p12', Buffer.from('\0hidden')],
  ['utf16.conf', Buffer.from('password=hidden', 'utf16le')],
];

test('no byte of a secret appears in a ConfigMap, a name or the output', async () => {
  await using directory = await privateDirectory('secrecy');
  await writeService(directory.path, Object.fromEntries(SECRETS));
  for (const form of ['file', 'service']) {
    const objects = await printed(directory.path, '--name', 'k', '--bundle', form);
    const held = objects.flatMap((object) =>
      Object.keys({ ...object.data, ...object.binaryData }).map((key) => ({ object, key })),
    );
    assert.equal(held.length, SECRETS.length + 1);
    const open = held.filter(({ object }) => object.kind === 'ConfigMap');
    assert.deepEqual(
      open.map(({ key }) => key),
      ['config.json'],
      form,
    );
    const shown = open.map(({ object, key }) => contentOf(object, key)!);
    for (const encoding of ['utf8', 'utf16le'] as const)
      assert.ok(shown.every((content) => !content.includes(Buffer.from('hidden', encoding))));
  }
  const { stdout, stderr } = await configmaps(directory.path, '--name', 'k', '--explain');
  assert.doesNotMatch(stdout + stderr, /hidden/);
});

/** Values that are not secret stay readable, for debugging. */
const PLAIN: readonly [path: string, text: string][] = [
  ['api-paste.ini', '[composite:public]\nuse = egg:Paste#urlmap\n/v3 = api\n'],
  ['uwsgi.ini', '[uwsgi]\nhttp-socket = 0.0.0.0:5000\nprocesses = 4\n'],
  ['policy.yaml', '"identity:list_users": "role:admin and system_scope:all"\n'],
  [
    'lifetimes.conf',
    '[token]\nprovider = fernet\nexpiration = 86400\n[security_compliance]\npassword_expires_days = 90\n',
  ],
  ['places.conf', '[ssl]\nkey_file = /etc/nova/certs/nova-key.pem\nca_certificates_file = /etc/ssl/certs/ca.crt\n'],
  ['empty.conf', '[a]\npassword =\nadmin_token = none\n'],
  ['reference.conf', '[a]\npassword = ${PASSWORD}\n'],
  [
    'config.json',
    '{"command": "x --key-file /etc/a/b.pem", "config_files": [{"source": "/x/fernet-keys", "dest": "/etc/keystone/fernet-keys"}]}',
  ],
  ['root.crt', CERTIFICATE],
  ['chain.pem', CERTIFICATE + CERTIFICATE],
  ['id_rsa.pub', `ssh-rsa ${RANDOM} nova\n`],
  ['blank', '\n'],
  ['section-alone.conf', '# nothing set\n[DEFAULT]\n'],
  ['names.yaml', '- name: alice\n  value: 1\n- name: bob\n'],
  ['pretty.json', '{\n  "password": "",\n  "token": null,\n  "key_file": "/etc/a/b.pem"\n}\n'],
];

for (const [path, text] of PLAIN)
  test(`no secret is detected in ${path}`, () => {
    const perm = path === 'id_rsa.pub' ? 0o644 : 0o600;
    assert.deepEqual(
      judge({ path, bytes: Buffer.from(text), mode: 0o600, entries: [{ name: 'x', perm }] }).isSecret,
      false,
    );
  });

test('an unreadable format is a Secret unless config.json makes it world-readable in every entry', () => {
  const of = (...perms: (number | undefined)[]) =>
    judge({ path: 'x', bytes: Buffer.from([0, 1]), mode: 0o644, entries: perms.map((perm) => ({ name: 'x', perm })) })
      .isSecret;
  assert.deepEqual(
    [of(0o644), of(0o644, 0o600), of(0o640), of(0o400), of(undefined), of()],
    [false, true, true, true, true, true],
  );
});

test('each line rule is decisive for some file', () => {
  const used = new Set(
    SECRETS.flatMap(([path, text]) => {
      const { why } = judge({ path, bytes: Buffer.from(text), mode: 0o600, entries: [] });
      return /^line \d+: (.*)/.exec(why)?.[1] ?? [];
    }),
  );
  assert.deepEqual([...used].toSorted(), LINE_RULES.map(({ what }) => what).toSorted());
});

test('a long text without newlines is scanned in linear time', () => {
  for (const part of ['password ', ' ', '- ', 'name: ', '://', 'a:', 'key=', 'Aa1', '-----BEGIN CERTIFICATE-----'])
    for (const path of ['x', 'x.yaml'])
      judge({ path, bytes: Buffer.from(part.repeat(200_000 / part.length)), mode: 0o600, entries: [] });
});
