import assert from 'node:assert/strict';
import { accountOf, ANY_ACCOUNT, type Account } from '../client.ts';
import { temporary, type Operation } from './operation.ts';

/** The client's column names differ between releases. */
interface Credential {
  readonly ID?: string;
  readonly id?: string;
  readonly Secret?: string;
  readonly secret?: string;
}

const PASSWORD = 'of-a-member';

export const identity: Operation = {
  title: 'project and user created; application credential, token and its revocation',
  async run({ client }) {
    await using stack = new AsyncDisposableStack();
    stack.use(await temporary(client, 'project', 'members'));
    stack.use(await temporary(client, 'user', 'member', '--password', PASSWORD));
    const member = client.as(accountOf('member', PASSWORD, 'members'));
    await assert.rejects(member.openstack('token', 'issue'), /401/);
    await client.openstack('role', 'add', '--project', 'members', '--user', 'member', 'member');
    assert.deepEqual(await member.json('server', 'list'), []);
    await assert.rejects(member.openstack('user', 'list'), /403/);
    const credential = ['application', 'credential'];
    const made = await member.json<Credential>(...credential, 'create', 'robot', '--role', 'member');
    const robot: Account = {
      ...ANY_ACCOUNT,
      OS_AUTH_TYPE: 'v3applicationcredential',
      OS_APPLICATION_CREDENTIAL_ID: made.ID ?? made.id ?? '',
      OS_APPLICATION_CREDENTIAL_SECRET: made.Secret ?? made.secret ?? '',
    };
    assert.deepEqual(await client.as(robot).json('volume', 'list'), []);
    await member.openstack(...credential, 'delete', 'robot');
    await assert.rejects(client.as(robot).openstack('volume', 'list'), /404|401/);
    const { id: token } = await member.json<{ id: string }>('token', 'issue');
    const holder = client.as({ ...ANY_ACCOUNT, OS_AUTH_TYPE: 'token', OS_TOKEN: token, ...PROJECT });
    assert.deepEqual(await holder.json('image', 'list', '--private'), []);
    await member.openstack('token', 'revoke', token);
    await assert.rejects(holder.openstack('image', 'list', '--private'), /401|404/);
    return 'each refused after its removal';
  },
};

const PROJECT: Account = { OS_PROJECT_NAME: 'members', OS_PROJECT_DOMAIN_NAME: 'Default' };

export const quotas: Operation = {
  title: 'quotas of servers, volumes and networks refuse what exceeds them',
  async run({ client, basis }) {
    await using stack = new AsyncDisposableStack();
    const project = stack.use(await temporary(client, 'project', 'limited'));
    // Neutron gives each project a default group, and does not learn that the project is deleted.
    stack.defer(async () => {
      const list = ['security', 'group', 'list', '--project', project.id, '-f', 'value', '-c', 'ID'];
      const groups = (await client.openstack(...list)).split('\n').filter((id) => id !== '');
      for (const id of groups) await client.openstack('security', 'group', 'delete', id);
    });
    stack.use(await temporary(client, 'user', 'limited', '--password', PASSWORD));
    await client.openstack('role', 'add', '--project', 'limited', '--user', 'limited', 'member');
    await client.openstack('quota', 'set', '--instances', '0', '--volumes', '0', '--networks', '0', 'limited');
    const limited = client.as(accountOf('limited', PASSWORD, 'limited'));
    const server = ['--image', basis.image, '--flavor', basis.small, '--network', basis.network];
    await assert.rejects(limited.openstack('server', 'create', 'one', ...server), /Quota exceeded for instances/);
    await assert.rejects(limited.openstack('volume', 'create', 'one', '--size', '1'), /VolumeLimitExceeded/);
    await assert.rejects(limited.openstack('network', 'create', 'one'), /Quota exceeded for resources.*network/);
    return 'three requests refused';
  },
};
