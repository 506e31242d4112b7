import { expect, test } from 'vitest';
import { AttemptFailedError, ClientError, RetriesExhaustedError } from '../../src/core/errors.ts';
import { eventError } from '../../src/http/end-of-call.ts';

test.each<[what: string, error: unknown, told: object]>([
  ['a refusal', new ClientError('text', { status: 422 }), { code: 'client_error', status: 422 }],
  [
    'the end of the attempts',
    new RetriesExhaustedError('text', { reason: 'timeout', outcome: 'unknown' }),
    { code: 'max_retries_exceeded', reason: 'timeout' },
  ],
  [
    'an answer that says 503',
    new AttemptFailedError('text', { reason: 'server_error', status: 503, outcome: 'unknown' }),
    { code: 'attempt_failed', reason: 'server_error', status: 503 },
  ],
  [
    'a connection that broke',
    new AttemptFailedError('text', { reason: 'network', networkCode: 'ECONNRESET', outcome: 'unknown' }),
    { code: 'attempt_failed', reason: 'network', networkCode: 'ECONNRESET' },
  ],
  ['a defect', new TypeError('text'), { code: 'internal_error' }],
  ['nothing', undefined, { code: 'internal_error' }],
])('an event says of %s codes and a status, and no text', (_what, error, told) => {
  expect(eventError(error)).toEqual(told);
});
