import { expect, test } from 'vitest';
import { maskStackTraces } from '../../src/observability/secret-looks.ts';

test.each([
  [
    'TypeError: x is not a function\n    at run (/srv/app/pay.js:10:5)\n    at async file:///srv/app/index.mjs:3:1\n',
    'TypeError: x is not a function [stack]\n',
  ],
  ['boom\\n    at Object.<anonymous> (C:\\\\app\\\\pay.ts:10:5)\\n', 'boom [stack]\\n'],
  ['Error: x at run (/srv/pay.js:1:2) at go (node:internal/x.js:3:4)', 'Error: x [stack]'],
  ['Traceback: File "/srv/app.py", line 12, in pay', 'Traceback: [stack]'],
  ['boom at com.acme.Pay.run(Pay.java:12)', 'boom [stack]'],
  ['boom at Acme.Pay.Run() in C:\\app\\Pay.cs:line 12', 'boom [stack]'],
  ['boom #0 /var/www/pay.php(12): run()', 'boom [stack]: run()'],
])('masks %j', (text, expected) => {
  expect(maskStackTraces(text)).toBe(expected);
  expect(maskStackTraces(expected)).toBe(expected);
});

test.each(['The meeting at 10:30 is full', 'a.b.c: 10', 'see https://example.com/help.', 'file app.json: 3', ''])(
  'leaves %j alone',
  (text) => {
    expect(maskStackTraces(text)).toBe(text);
  },
);

test.each([
  ['a path without end', '/a'.repeat(500_000)],
  ['almost lines of a stack', 'at x.js '.repeat(120_000)],
  ['file names', 'a.js:'.repeat(200_000)],
  ['spaces', `${' '.repeat(1_000_000)}.js(`],
  ['line breaks in JSON', `${'\\n'.repeat(500_000)}.js(`],
])('a million characters of %s end', (_what, text) => {
  expect(maskStackTraces(text).length).toBeGreaterThan(0);
});
