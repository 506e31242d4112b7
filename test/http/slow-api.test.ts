import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { inFakeTime, useFakeTime } from '../support/fake-time.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

test('an API that answers after 1.2 s is asked once by a call that has 3 s', async () => {
  useFakeTime();
  const reply = answer({ body: '{"type":"admin.list","admins":[{"id":"7","name":"Ada"}]}' });
  await using server = await startFaultServer(
    (socket, request) => void setTimeout(() => reply(socket, request), 1_200),
  );
  await using messaging = createMessagingClient({
    baseUrl: server.origin,
    authenticate: bearer(() => 'token'),
    platform: 'Acme',
    version: '2.11',
  });

  const admins = await inFakeTime(messaging.admins.list({ deadline: 3_000 }));

  expect(admins.data).toEqual([{ id: '7', name: 'Ada' }]);
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /admins']);
});
