import { afterEach, expect, test, vi } from 'vitest';
import { createCircuitBreaker } from '../../src/http/circuit-breaker.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { connect, createContact, failureOf } from '../support/connect.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

/** What is loaded with a first failure, as a process finds it whose files were replaced, or that may open no more of them. */
const files = vi.hoisted(() => ({ areThere: false }));

vi.mock('p-retry', async (load) => {
  if (!files.areThere) throw new Error('no such file');
  return load();
});

vi.mock('#opossum', async (load) => {
  if (!files.areThere) throw new Error('no such file');
  return load();
});

afterEach(() => {
  files.areThere = false;
});

test('a write that cannot be repeated, since what repeats it cannot be loaded, says that it may be done', async () => {
  await using server = await startFaultServer(answer({ status: 503 }));
  const { client } = connect(server);
  expect(await failureOf(client.request(createContact))).toMatchObject({
    code: 'max_retries_exceeded',
    reason: 'server_error',
    outcome: 'unknown',
    attempts: 1,
    idempotencyKey: expect.any(String),
  });
});

test('a circuit that could not load what counts opens once it can', async () => {
  const breaker = createCircuitBreaker({ clock: createVirtualClock() });
  const fail = async () => {
    const admission = breaker.admit();
    if (admission.admitted) await admission.permit.settle('failure');
  };
  for (let failure = 0; failure < 20; failure += 1) await fail();
  expect(breaker.state()).toBe('closed');
  files.areThere = true;
  for (let failure = 0; failure < 10; failure += 1) await fail();
  expect(breaker.state()).toBe('open');
});
