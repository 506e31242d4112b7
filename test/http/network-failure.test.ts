import { expect, test } from 'vitest';
import { networkError, networkFailureOf } from '../../src/http/network-failure.ts';
import { aRequest } from '../support/request.ts';

const system = (code: string, syscall?: string) =>
  Object.assign(new Error(code), { code, ...(syscall && { syscall }) });

/** As `fetch` and ky wrap it. */
const wrapped = (cause: unknown) => new Error('ky', { cause: new TypeError('fetch failed', { cause }) });

test.each([
  ['a refused connection', system('ECONNREFUSED', 'connect')],
  ['a refused connection that does not say where it failed', system('ECONNREFUSED')],
  ['a name that does not exist', system('ENOTFOUND', 'getaddrinfo')],
  ['a name that a resolver of its own does not find', system('ENOTFOUND', 'queryA')],
  ['a connection that takes too long', system('UND_ERR_CONNECT_TIMEOUT')],
  ['a certificate that is not trusted', system('DEPTH_ZERO_SELF_SIGNED_CERT')],
])('%s sent nothing', (_what, error) => {
  expect(networkFailureOf(wrapped(error))).toEqual({ networkCode: error.code, outcome: 'not_sent' });
});

test.each([
  ['a reset', system('ECONNRESET', 'read')],
  ['a time-out of an open connection', system('ETIMEDOUT', 'read')],
  ['a host that was reachable until now', system('EHOSTUNREACH', 'read')],
  ['a socket that closed', system('UND_ERR_SOCKET')],
])('%s may have come after the request', (_what, error) => {
  expect(networkFailureOf(wrapped(error))).toEqual({ networkCode: error.code, outcome: 'unknown' });
});

test('a failure for every address of a name sent nothing', () => {
  const errors = [system('ECONNREFUSED', 'connect'), system('ENETUNREACH', 'connect')];
  const all = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
  expect(networkFailureOf(wrapped(all))).toEqual({ networkCode: 'ECONNREFUSED', outcome: 'not_sent' });
});

test('one address that may have got it is enough not to know', () => {
  const all = new AggregateError([system('ECONNREFUSED', 'connect'), system('ECONNRESET', 'read')]);
  expect(networkFailureOf(wrapped(all))).toEqual({ networkCode: 'ECONNREFUSED', outcome: 'unknown' });
});

test.each([[undefined], [new Error('no code')], [new AggregateError([])], [{ code: 42 }]])(
  'of %s nothing is known',
  (error) => {
    expect(networkFailureOf(error)).toEqual({ networkCode: undefined, outcome: 'unknown' });
  },
);

test('causes that go in a circle come to an end', () => {
  const error: Error & { cause?: unknown } = new Error('round');
  error.cause = error;
  expect(networkFailureOf(error)).toEqual({ networkCode: undefined, outcome: 'unknown' });
});

test.each([
  ['ENOTFOUND', 'no such host, check the name in messaging.baseUrl'],
  ['ECONNREFUSED', 'nothing listens there, check host and port in messaging.baseUrl'],
])('%s leads to the option that is wrong', (code, advice) => {
  expect(networkError(aRequest(), { cause: { code } }).message).toBe(
    `messaging.contacts.get: no connection could be made (${code}): ${advice}`,
  );
});
