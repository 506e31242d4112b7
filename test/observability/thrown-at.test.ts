import { afterEach, expect, test } from 'vitest';
import { thrownAt } from '../../src/observability/thrown-at.ts';

const { stackTraceLimit, prepareStackTrace } = Error;
afterEach(() => {
  Error.stackTraceLimit = stackTraceLimit;
  Error.prepareStackTrace = prepareStackTrace;
});

const thrown = (stack: unknown, message = 'Ada Lee') => Object.assign(new TypeError(message), { stack }) as TypeError;

test('the line of this file', () => {
  expect(thrownAt(new RangeError('Ada Lee'))).toMatch(/^RangeError at thrown-at\.test\.ts:\d+:\d+$/);
});

test.each<[string, string, string]>([
  ['Node', 'TypeError: Ada Lee\n    at find (/app/src/billing.ts:17:52)', 'billing.ts:17:52'],
  ['Node, a module', 'TypeError: Ada Lee\n    at find (file:///app/src/billing.ts:17:52)', 'billing.ts:17:52'],
  ['no function', 'TypeError: Ada Lee\n    at /app/src/billing.ts:17:52', 'billing.ts:17:52'],
  ['an async function', 'TypeError: Ada Lee\n    at async find (/app/src/billing.ts:17:52)', 'billing.ts:17:52'],
  ['a module of async code', 'TypeError: Ada Lee\n    at async file:///app/billing.mjs:17:52', 'billing.mjs:17:52'],
  [
    'a method under another name',
    'TypeError: Ada Lee\n    at Object.find [as answer] (/app/billing.js:1:2)',
    'billing.js:1:2',
  ],
  ['a constructor', 'TypeError: Ada Lee\n    at new Mapping (/app/billing.js:1:2)', 'billing.js:1:2'],
  ['Windows', 'TypeError: Ada Lee\r\n    at find (C:\\Users\\me\\app\\billing.ts:17:52)\r', 'billing.ts:17:52'],
  ['Windows, a module', 'TypeError: Ada Lee\n    at find (file:///C:/app/billing.ts:17:52)', 'billing.ts:17:52'],
  [
    'a folder with spaces and brackets',
    'TypeError: Ada Lee\n    at find (/Users/me/My App (1)/billing.ts:1:2)',
    'billing.ts:1:2',
  ],
  ['a file with spaces', 'TypeError: Ada Lee\n    at find (/app/my billing.ts:1:2)', 'my billing.ts:1:2'],
  ['a query', 'TypeError: Ada Lee\n    at find (file:///app/billing.ts?t=1712:17:52)', 'billing.ts:17:52'],
  ['webpack', 'TypeError: Ada Lee\n    at find (webpack-internal:///(rsc)/./src/billing.ts:17:52)', 'billing.ts:17:52'],
  ['a page', 'TypeError: Ada Lee\n    at find (https://app.test/assets/index-D1.js:1:23456)', 'index-D1.js:1:23456'],
  [
    'Deno',
    'TypeError: Ada Lee\n    at find (file:///app/billing.ts:17:52)\n    at ext:core/01_core.js:1:2',
    'billing.ts:17:52',
  ],
  ['Bun', 'TypeError: Ada Lee\n    at find (/app/billing.ts:17:52)\n    at native:1:11', 'billing.ts:17:52'],
  ['Safari', 'find@file:///app/billing.ts:17:52\nmap@[native code]', 'billing.ts:17:52'],
  [
    'Firefox',
    'find@http://127.0.0.1:3000/src/billing.ts:17:52\n@http://127.0.0.1:3000/main.ts:1:2',
    'billing.ts:17:52',
  ],
  [
    'a source map with the line',
    '/app/src/billing.ts:17\n  json.acounts.map(\n               ^\n\nTypeError: Ada Lee\n    at find (/app/src/billing.ts:17:52)',
    'billing.ts:17:52',
  ],
  ['eval', 'TypeError: Ada Lee\n    at eval (eval at run (/app/billing.js:3:1), <anonymous>:1:7)', 'billing.js:3:1'],
  [
    'the runtime on top',
    'SyntaxError: Ada Lee\n    at JSON.parse (<anonymous>)\n    at find (/app/billing.ts:17:52)',
    'billing.ts:17:52',
  ],
  [
    'an internal module on top',
    'TypeError: Ada Lee\n    at new URL (node:internal/url:816:29)\n    at find (/app/billing.ts:17:52)',
    'billing.ts:17:52',
  ],
  [
    'a library on top',
    'TypeError: Ada Lee\n    at parse (/app/node_modules/zod/index.js:1:2)\n    at find (/app/billing.ts:17:52)',
    'billing.ts:17:52',
  ],
  [
    'pnpm',
    'TypeError: Ada Lee\n    at parse (/app/node_modules/.pnpm/zod@4.0.0/node_modules/zod/index.js:1:2)\n    at find (/app/billing.ts:17:52)',
    'billing.ts:17:52',
  ],
  ['only a library', 'TypeError: Ada Lee\n    at parse (/app/node_modules/zod/index.js:1:2)', 'index.js:1:2'],
  [
    'one bundle for everything',
    'TypeError: Ada Lee\n    at a (/srv/dist/server.js:1:90210)\n    at b (/srv/dist/server.js:1:3)',
    'server.js:1:90210',
  ],
  ['no column', 'TypeError: Ada Lee\n    at find (/app/billing.ts:17)', 'billing.ts:17'],
])('%s', (_what, stack, place) => {
  expect(thrownAt(thrown(stack))).toBe(`TypeError at ${place}`);
});

test.each<[string, unknown]>([
  ['no stack', undefined],
  ['an empty one', ''],
  ['one that is no text', [{ file: 'a' }]],
  ['a header alone', 'TypeError: Ada Lee'],
  ['only the runtime', 'TypeError: Ada Lee\n    at JSON.parse (<anonymous>)\n    at node:internal/main/run:1:2'],
])('%s gives the class alone', (_what, stack) => {
  expect(thrownAt(thrown(stack))).toBe('TypeError');
});

test('a message of several lines that look like a stack is not read', () => {
  const message = 'no\n    at secret (/home/ada-lee-4155550100.txt:1:2)\n    at more (/x.ts:3:4)';

  expect(thrownAt(new TypeError(message))).toMatch(/^TypeError at thrown-at\.test\.ts:\d+:\d+$/);
});

test.each<[unknown, string]>([
  ['Ada Lee', 'a value that is no error'],
  [undefined, 'a value that is no error'],
  [{ message: 'Ada Lee', stack: 'at /ada.ts:1:2' }, 'a value that is no error at ada.ts:1:2'],
  [Object.assign(thrown('', 'x'), { name: 'Ada Lee' }), 'an error'],
  [Object.assign(thrown('', 'x'), { name: 42 }), 'an error'],
])('%s is no leak', (error, text) => {
  expect(thrownAt(error)).toBe(text);
});

test('a stack that throws is none', () => {
  const error = new TypeError('no');
  Object.defineProperty(error, 'stack', {
    get: () => {
      throw new Error('broken');
    },
  });

  expect(thrownAt(error)).toBe('TypeError');
});

test('an application that wants no stacks has none', () => {
  Error.stackTraceLimit = 0;

  expect(thrownAt(new TypeError('no'))).toBe('TypeError');
});

test('a large stack takes no time to read', () => {
  const stack = `TypeError: ${'x'.repeat(200_000)}\n${'    at find (/app/billing.ts:17:52)\n'.repeat(20_000)}`;

  expect(thrownAt(thrown(stack, 'x'.repeat(200_000)))).toBe('TypeError at billing.ts:17:52');
  expect(thrownAt(thrown(`TypeError: x\n    at ${'('.repeat(100_000)}:1:2`, 'x'))).toBe('TypeError');
});
