import { expect, test } from 'vitest';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { parseBody, readBody } from '../../src/webhooks/read-body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const limits = () => ({ maximumBytes: 5, timeMs: 1_000, clock: createVirtualClock() });
const post = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
  new Request('https://hook.test/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
const stream = (...chunks: string[]) => ReadableStream.from(chunks.map(bytes));

test.each([
  'application/json',
  'APPLICATION/JSON ',
  'application/json ; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json; charset= utf8 ',
  'application/json; charset = x; charset=utf8',
  'application/cloudevents+json; profile="a"; charset=utf-8',
])('"%s" is JSON', (type) => {
  expect(parseBody(bytes('{"a":1}'), new Headers({ 'content-type': type }))).toEqual({ a: 1 });
});

test.each([
  'text/json',
  'xapplication/json',
  'application/jsonp',
  'application/+json',
  'application/x json',
  'application/json; charset=utf-8x',
  'application/json; charset=xutf-8',
  'application/json; a=b; charset=latin1',
  'application/x-www-form-urlencoded',
  ' ;',
])('"%s" is not', (type) => {
  expect(() => parseBody(bytes('{}'), new Headers({ 'content-type': type }))).toThrow(
    'unsupported_media_type: not_json',
  );
});

test('a sender that leaves the type out sends JSON', () => {
  expect(parseBody(bytes('{"a":1}'), new Headers())).toEqual({ a: 1 });
  expect(parseBody(bytes('{"a":1}'), new Headers({ 'content-type': '' }))).toEqual({ a: 1 });
  expect(() => parseBody(bytes('a=1'), new Headers())).toThrow('malformed_body: body_not_json');
});

test.each([
  ['{"a":', 'malformed_body: body_not_json'],
  ['', 'malformed_body: body_empty'],
])('the body %j is refused as %s', (body, problem) => {
  expect(() => parseBody(bytes(body), new Headers({ 'content-type': 'application/json' }))).toThrow(problem);
});

test('a compressed body is refused as such', () => {
  const headers = (encoding: string) =>
    new Headers({ 'content-type': 'application/json', 'content-encoding': encoding });

  expect(() => parseBody(bytes('{}'), headers('gzip'))).toThrow('unsupported_media_type: compressed');
  expect(parseBody(bytes('{}'), headers('identity'))).toEqual({});
});

test('a body up to the limit is read, in however many pieces it comes', async () => {
  const read = async (request: Request) => Buffer.from(await readBody(request, limits())).toString();

  expect(await read(post('12345', { 'content-length': '5' }))).toBe('12345');
  expect(await read(post(stream('12345')))).toBe('12345');
  expect(await read(post(stream('12', '', '345')))).toBe('12345');
  expect(await read(new Request('https://hook.test/', { method: 'POST' }))).toBe('');
});

test('a body beyond the limit is refused, unread where it says so itself', async () => {
  const announced = post(stream('1'), { 'content-length': '6' });

  await expect(readBody(announced, limits())).rejects.toThrow('body_too_large: body_too_large');
  await expect(readBody(post(stream('12', '3456')), limits())).rejects.toThrow('body_too_large: body_too_large');
  expect(announced.bodyUsed).toBe(false);
});

test('a body that breaks off is refused, and what broke it is kept', async () => {
  const broken = new Error('reset');
  const body = new ReadableStream({ pull: (controller) => controller.error(broken) });

  await expect(readBody(post(body), limits())).rejects.toMatchObject({
    message: 'malformed_body: body_cut_off',
    cause: broken,
  });
});

test('a body that takes too long is refused and given up, and no timer is left of one that came', async () => {
  const late = limits();
  let isCancelled = false;
  const body = new ReadableStream({ cancel: () => void (isCancelled = true) });

  const refused = expect(readBody(post(body), late)).rejects.toThrow('malformed_body: body_too_slow');
  await late.clock.advance(1_000);
  await refused;
  expect(isCancelled).toBe(true);

  const inTime = limits();
  await readBody(post('1'), inTime);
  expect(inTime.clock.pendingTimers()).toBe(0);
});
