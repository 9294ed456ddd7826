import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseActions } from '../../../../src/container/init/on-change/actions.ts';

const one = (text: string) => parseActions([text])[0]!;

test('a signal is named with or without SIG, for a process or for the service', () => {
  assert.deepEqual(one('signal:HUP'), { kind: 'signal', label: 'signal:HUP', signal: 'SIGHUP', process: undefined });
  assert.deepEqual(one('signal:SIGUSR1:nginx'), {
    kind: 'signal',
    label: 'signal:USR1:nginx',
    signal: 'SIGUSR1',
    process: 'nginx',
  });
});

test('a command is split at spaces; quotes keep them, and nothing is expanded', () => {
  const words = (text: string) => (one(text) as { words?: unknown }).words;
  assert.deepEqual(words('exec:/usr/sbin/nginx -s reload'), ['/usr/sbin/nginx', '-s', 'reload']);
  assert.deepEqual(words(`exec:sh -c 'echo "$A" | cat'`), ['sh', '-c', 'echo "$A" | cat']);
  assert.deepEqual(words(`exec:a --name='b c'"d e" '' $HOME *`), ['a', '--name=b cd e', '', '$HOME', '*']);
});

test('a request has a method and a URL, whose user and query are never logged', () => {
  const action = one('http:POST http://admin:hidden@127.0.0.1:8080/reload?token=hidden');
  assert.equal(action.label, 'http:POST http://127.0.0.1:8080/reload?...');
});

for (const [text, said] of [
  ['', /no action ''/],
  ['signl:HUP', /no action 'signl'; did you mean 'signal'/],
  ['reload now', /no action 'reload'/],
  ['signal', /no signal ''; write signal:HUP/],
  ['signal:FOO', /no signal 'FOO'; try HUP, TERM, USR1$/],
  ['signal:HPU', /no signal 'HPU'; did you mean 'HUP'/],
  ['signal:HUP:', /no process name/],
  ['exec', /has no command/],
  ['exec: ', /has no command/],
  ["exec:sh -c 'true", /a ' is not terminated/],
  ['exec:cat a | tee b', /no shell reads '\|'/],
  ['http://127.0.0.1/reload', /needs a method and a URL, as in http:POST/],
  ['http:post http://127.0.0.1/', /needs a method/],
  ['http:POST ftp://127.0.0.1/', /needs an http/],
  ['http:POST http://', /needs an http/],
  ['exit:0', /exit takes no argument/],
] as const) {
  test(`'${text}' is rejected as an action, with the reason`, () => {
    assert.throws(() => parseActions([text]), { name: 'UsageError', message: said });
  });
}

test('exit must be the last action, since no later one would run', () => {
  assert.throws(() => parseActions(['exit', 'signal:HUP']), /signal:HUP would never run/);
  assert.equal(parseActions(['signal:HUP', 'exit']).length, 2);
});

test('the error for an invalid action shows no secret', () => {
  for (const text of ['http:POST htp://u:hidden@x/', 'http:post http://u:hidden@x/', "exec:curl -u 'u:hidden"])
    assert.throws(
      () => parseActions([text]),
      ({ message }: Error) => !message.includes('hidden'),
    );
});
