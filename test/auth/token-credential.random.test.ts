import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { oauthClientCredentials } from '../../src/auth/index.ts';
import { AuthenticationError } from '../../src/core/errors.ts';
import type { IssuedCredential } from '../../src/http/credential.ts';
import type { Transport } from '../../src/http/request.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { aContext, tokenOf } from '../support/credential-context.ts';
import { fixRandom } from '../support/fix-random.ts';
// Loaded when the first token is asked for; here before that, since time is virtual in these tests.
import 'oauth4webapi';
import { createMemoryTokenStore } from '../../src/stores/memory/index.ts';
import fc from '../support/fast-check.ts';

const secret = 's3cret-client';

const answerOf = (status: number, text: string): Awaited<ReturnType<Transport>> => ({
  status,
  headers: new Map(),
  text,
});

const credentialOn = (transport: Transport, options: object = {}) => {
  fixRandom(0.5);
  const clock = createVirtualClock();
  const credential = oauthClientCredentials({
    tokenEndpoint: 'https://login.example.com/token',
    clientId: () => 'app-1',
    clientSecret: () => secret,
    transport,
    ...options,
  });
  return { credential, clock };
};

const anyJson = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      access_token: fc.oneof(fc.string({ unit: 'binary' }), fc.constant(secret), fc.jsonValue()),
      token_type: fc.oneof(fc.constantFrom('bearer', 'Bearer', 'mac'), fc.jsonValue()),
      expires_in: fc.oneof(fc.double(), fc.jsonValue()),
      refresh_token: fc.jsonValue(),
      scope: fc.jsonValue(),
      id_token: fc.string(),
      error: fc.oneof(fc.constantFrom('invalid_grant', secret, `x${secret}`), fc.string({ unit: 'binary' })),
    },
    { requiredKeys: [] },
  ),
);

test('whatever a token endpoint answers is a token for a header or a typed error, and its words stay out of the log', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 200, max: 599 }), anyJson, async (status, body) => {
      const { credential, clock } = credentialOn(async () => answerOf(status, JSON.stringify(body)));
      const read = credential.read(aContext()).then(
        ({ headers }) => headers.authorization,
        (error: unknown) => error,
      );
      await clock.advance(8_000);
      const end = await read;
      const isToken = typeof end === 'string' && status < 300 && /^Bearer [\x21-\x7e]+$/.test(end);
      expect(isToken || end instanceof AuthenticationError).toBe(true);
      expect(isToken || !(inspect(end, { depth: 20 }) + JSON.stringify(end)).includes(secret)).toBe(true);
      expect(clock.pendingTimers()).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('a caller at the very moment when a token comes in begins no request of its own', async () => {
  let asked = 0;
  const { credential } = credentialOn(async () => {
    asked += 1;
    return answerOf(200, '{"access_token":"t"}');
  });
  let isOver = false;
  const first = credential.read(aContext()).then(() => {
    isOver = true;
  });
  const others: Promise<unknown>[] = [];
  while (!isOver) {
    // One in each turn of the microtasks, and a breath now and then for the module that is loaded.
    for (let turn = 0; turn < 50 && !isOver; turn += 1) {
      others.push(credential.read(aContext()));
      await Promise.resolve();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([first, ...others]);
  expect(asked).toBe(1);
});

type Step =
  | { readonly does: 'read' | 'renew'; readonly times: number }
  | { readonly does: 'hangUp' | 'rotate' }
  | { readonly does: 'advance'; readonly ms: number }
  | { readonly does: 'endpoint'; readonly mood: Mood };

const moods = ['well', 'refuses', 'fails', 'is silent', 'gives short ones', 'gives endless ones'] as const;

type Mood = (typeof moods)[number];

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constantFrom('read', 'renew'), times: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('hangUp', 'rotate') }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('endpoint' as const), mood: fc.constantFrom(...moods) }) },
);

/** Everything that can go on without time has gone on; loading a module takes some turns. */
const settled = async ({ advance }: { readonly advance: (ms: number) => Promise<void> }): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await advance(0);
};

/** Calls, refusals, hang-ups, rotations and an endpoint with moods, in any order. */
const play = async (first: Mood, steps: readonly Step[], hasStore: boolean): Promise<void> => {
  let mood = first;
  let current = 'secret-0.';
  let underWay = 0;
  let mostUnderWay = 0;
  const askedAt: number[] = [];
  const rotatedAt: number[] = [];
  const endsAt = new Map<string, number>();
  const lives: Partial<Record<Mood, number>> = { 'gives short ones': 20, well: 600 };

  const transport: Transport = async ({ signal, body = '' }) => {
    askedAt.push(performance.now());
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    try {
      await Promise.resolve();
      if (mood === 'is silent')
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      if (mood === 'fails') return answerOf(503, '');
      if (mood === 'refuses' || !body.includes(current)) return answerOf(401, '{"error":"invalid_client"}');
      const token = `token-${askedAt.length}`;
      const seconds = lives[mood];
      endsAt.set(token, performance.now() + (seconds === undefined ? Infinity : seconds * 1_000));
      return answerOf(200, JSON.stringify({ access_token: token, expires_in: seconds }));
    } finally {
      underWay -= 1;
    }
  };
  const { credential, clock } = credentialOn(transport, {
    clientSecret: () => current,
    ...(hasStore ? { store: createMemoryTokenStore() } : {}),
  });

  const calls: Promise<unknown>[] = [];
  let last: IssuedCredential | undefined;
  let caller = new AbortController();
  const call = (work: Promise<IssuedCredential | undefined>, startedAt: number) => {
    calls.push(
      work.then(
        (issued) => {
          const token = issued && tokenOf(issued);
          if (token === undefined) return;
          last = issued;
          // No caller gets a token that had expired or was refused before.
          expect(endsAt.get(token)).toBeGreaterThanOrEqual(startedAt);
        },
        (error: unknown) => {
          expect(error instanceof AuthenticationError || error === 'the caller hung up').toBe(true);
        },
      ),
    );
  };

  const readOnce = () => call(credential.read(aContext({ signal: caller.signal })), performance.now());
  const renewOnce = () => {
    if (!last) return;
    const rejected = last;
    const renewed = credential.renew(rejected, aContext({ signal: caller.signal })).then((issued) => {
      expect(issued && tokenOf(issued)).not.toBe(tokenOf(rejected));
      return issued;
    });
    call(renewed, performance.now());
  };

  for (const step of steps) {
    if (step.does === 'endpoint') mood = step.mood;
    if (step.does === 'rotate') {
      rotatedAt.push(performance.now());
      current = `secret-${rotatedAt.length}.`;
    }
    if (step.does === 'advance') await clock.advance(step.ms);
    if (step.does === 'hangUp') {
      caller.abort('the caller hung up');
      caller = new AbortController();
    }
    if (step.does === 'read' || step.does === 'renew')
      for (let time = 0; time < step.times; time += 1) {
        (step.does === 'read' ? readOnce : renewOnce)();
        await settled(clock);
      }
  }
  await clock.advance(20_000);
  await Promise.all(calls);
  expect(mostUnderWay).toBeLessThanOrEqual(1);
  expect(underWay).toBe(0);
  expect(clock.pendingTimers()).toBe(0);
  // A first token, three renewals, each with one repetition, and the same for a changed secret: not as many as calls.
  const within = (times: readonly number[], from: number) => times.filter((at) => at >= from && at < from + 500).length;
  for (const at of askedAt) expect(within(askedAt, at)).toBeLessThanOrEqual(8 + 2 * within(rotatedAt, at));
};

test('whatever happens in whatever order: one request at a time, none in a loop, no token after its end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...moods),
      fc.array(anyStep, { maxLength: 60 }),
      fc.boolean(),
      (mood, steps, hasStore) => play(mood, steps, hasStore),
    ),
    { numRuns: 150 },
  );
});
