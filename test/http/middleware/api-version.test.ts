import { expect, test } from 'vitest';
import { pinVersion } from '../../../src/http/middleware/reject-failures.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { recordTo } from '../../support/record-to.ts';
import { answer } from '../../support/answer.ts';
import { aRequest } from '../../support/request.ts';

const setUp = (pinned: { version: string; header?: string }, headers: Record<string, string> = {}) => {
  const events: unknown[] = [];
  const seen: HttpRequest[] = [];
  const layer = pinVersion(pinned, recordTo(events));
  const run = (request = aRequest()) =>
    layer(request, async (inner) => {
      seen.push(inner);
      return answer(200, {}, headers);
    });
  return { events, seen, run };
};

test('an answer in another version is one warning per operation', async () => {
  const { events, run } = setUp({ version: '2.11', header: 'acme-version' }, { 'acme-version': '2.12' });
  await run();
  await run();
  await run(aRequest({ operation: 'messaging.contacts.create' }));
  expect(events).toEqual([
    { type: 'version-warning', operation: 'messaging.contacts.get', pinned: '2.11', answered: '2.12' },
    { type: 'version-warning', operation: 'messaging.contacts.create', pinned: '2.11', answered: '2.12' },
  ]);
});

test('an announced end is a warning, also where the version is in the path', async () => {
  const { seen, events, run } = setUp(
    { version: '60.0' },
    { deprecation: '@1735689600', sunset: 'Wed, 31 Dec 2026 23:59:59 GMT' },
  );
  await run();
  expect(seen[0]?.headers).toEqual({});
  expect(events).toEqual([
    {
      type: 'version-warning',
      operation: 'messaging.contacts.get',
      pinned: '60.0',
      deprecation: '@1735689600',
      sunset: 'Wed, 31 Dec 2026 23:59:59 GMT',
    },
  ]);
});
