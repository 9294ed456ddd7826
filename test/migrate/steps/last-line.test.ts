import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastLine } from '../../../src/migrate/steps/last-line.ts';

function lastOf(text: string): string {
  const last = new LastLine();
  for (const line of text.split('\n')) last.add(line);
  return String(last);
}

const ENDS: Readonly<Record<string, [output: string, last: string]>> = {
  'of a tool that prints an error': ['doing\nERROR: Could not access cell0.\n\n', 'ERROR: Could not access cell0.'],
  'of alembic': [
    "INFO  [alembic.runtime.migration] Context impl MySQLImpl.\nFAILED: Can't locate revision identified by 'x'",
    "FAILED: Can't locate revision identified by 'x'",
  ],
  'without the statement that SQLAlchemy appends, in lines of oslo.log': [
    [
      'CRITICAL keystone [-] Unhandled error',
      'ERROR keystone Traceback (most recent call last):',
      'ERROR keystone   File "x.py", line 1, in f',
      'ERROR keystone sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) (1050, "Table \'role\' already exists")',
      'ERROR keystone [SQL: ',
      'ERROR keystone CREATE TABLE role (',
      'ERROR keystone )',
      'ERROR keystone ',
      'ERROR keystone ]',
      'ERROR keystone [parameters: {}]',
      'ERROR keystone (Background on this error at: https://sqlalche.me/e/14/e3q8)',
      'ERROR keystone ',
    ]
      .map((line) => `2026-11-27 22:02:51.650 16806 ${line}`)
      .join('\n'),
    'sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) (1050, "Table \'role\' already exists")',
  ],
  'of what follows a statement in one line': [
    '2026-11-27 22:02:51.650 1 ERROR nova [None req-1 - -] [SQL: SELECT 1]\nafter',
    'after',
  ],
  "without Python's own end": [
    [
      'ValueError: the reason',
      'Exception ignored in: <function _removeHandlerRef at 0x7fb44fa21f80>',
      'Traceback (most recent call last):',
      '  File "logging/__init__.py", line 855, in _removeHandlerRef',
      "AttributeError: 'NoneType' object has no attribute 'getcurrent'",
    ].join('\n'),
    'ValueError: the reason',
  ],
  'of no output': ['', ''],
};

for (const [what, [output, last]] of Object.entries(ENDS))
  test(`the last line ${what}`, () => assert.equal(lastOf(output), last));
