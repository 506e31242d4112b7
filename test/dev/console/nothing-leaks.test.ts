import { expect, test } from 'vitest';
import * as z from 'zod';
import type { DeadLetters, UndeliveredMessage } from '../../../src/outbox/index.ts';
import { channel } from 'node:diagnostics_channel';
import type { IntegrationEvent } from '../../../src/observability/events.ts';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { openConsole } from '../../support/open-console.ts';
import fc from '../../support/fast-check.ts';

const base = { at: 1_000_000, api: 'billing' };

/** Digits of an id may look like a card number, and are left: an id is what one event has in common with another. */
const asId = (seed: string) => (/^\d+$/.test(seed) ? 'id_1' : seed);

/** Events as an application has them that takes nothing out: what is seeded is in every text field. */
const eventsWith = (seed: string): readonly IntegrationEvent[] => {
  const operation = `billing.customers.get ${seed}`;
  const id = asId(seed);
  const callId = `call ${id}`;
  return [
    {
      ...base,
      type: 'attempt',
      operation,
      callId,
      tenant: id,
      attempt: 1,
      durationMs: 5,
      waits: [],
      requestId: id,
      error: { code: 'attempt_failed', reason: seed, codes: [seed] },
    },
    {
      ...base,
      type: 'call',
      operation,
      callId,
      attempts: 1,
      durationMs: 5,
      deadlineMs: 8_000,
      outcome: 'rejected',
      idempotencyKey: id,
    },
    {
      ...base,
      type: 'tool-run',
      operation,
      callId,
      tool: seed,
      toolCallId: id,
      effect: 'read',
      status: 'failed',
      reason: seed,
      fields: [seed],
      replayed: false,
      durationMs: 5,
      resultChars: 2,
    },
    {
      ...base,
      type: 'webhook-received',
      operation,
      direction: 'in',
      receiver: seed,
      outcome: 'handled',
      event: seed,
      eventId: id,
      source: seed,
      durationMs: 5,
      isSlow: false,
      body: { note: seed, [seed]: [seed, { phone: seed }] },
    },
    {
      ...base,
      type: 'delivery',
      operation,
      direction: 'out',
      destination: seed,
      event: seed,
      version: 1,
      idempotencyKey: id,
      attempt: 1,
      durationMs: 5,
      outcome: 'dead',
      reason: seed,
      body: { email: seed },
    },
    { ...base, type: 'circuit', operation, from: 'closed', to: 'open' },
    {
      ...base,
      type: 'credential-renewal-failed',
      operation,
      credential: seed,
      because: 'expiring',
      durationMs: 5,
      reason: seed,
    },
    { ...base, type: 'version-warning', operation, pinned: seed, deprecation: seed },
    { ...base, type: 'schema-drift', operation, fields: [seed] },
    { ...base, type: 'destination-disabled', operation, destination: seed, reason: seed },
  ];
};

const deadLetterWith = (seed: string): UndeliveredMessage => ({
  id: `outbox:archive:${seed}`,
  destination: 'archive',
  event: seed,
  version: 1,
  idempotencyKey: asId(seed),
  attempts: 6,
  publishedAt: 1,
  diedAt: 2,
  reason: seed,
  lastFailure: { reason: seed },
  body: { to: seed, nested: [{ text: `for ${seed}` }] },
  cursor: seed,
});

const toolbox = createToolbox({
  tools: [
    defineTool({
      name: 'note',
      description: 'Writes a note.',
      parameters: z.object({ text: z.string().refine((text) => text === 'fine', 'must be fine') }),
      effect: 'write',
      run: () => ({}),
    }),
  ],
});

const digits = (length: number) => fc.stringMatching(new RegExp(`^[1-9]\\d{${length - 1}}$`));
const letters = fc.stringMatching(/^[a-z0-9]{14,24}$/);

const personal = [
  digits(11).map((number) => `+${number}`),
  fc.tuple(letters, letters).map(([name, host]) => `${name}@${host}.example`),
  fc.constantFrom('4242424242424242', '5555555555554444', '378282246310005'),
];
const secret = [
  letters.map((key) => `sk_live_${key}`),
  letters.map((key) => `whsec_${key}`),
  fc.tuple(letters, letters).map(([head, body]) => `eyJ${head}.${body}.${head}`),
];
/** Of no form that anything could tell; the application names it. */
const named = letters.map((word) => `named-${word}`);

const paths = [
  '',
  'app.js',
  'api/session',
  'api/phone-calls',
  'api/phone-calls/0',
  'api/phone-calls/1',
  'api/endpoints',
  'api/protection',
  'api/outbox',
  'api/dead-letters',
  'api/tools',
  'nothing',
];

test('no secret and nothing personal is in any byte that is served, whatever field it was in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(...personal, ...secret, named), async (seed) => {
      const deadLetters: DeadLetters = {
        list: async () => [deadLetterWith(seed)],
        redrive: async () => 1,
        discard: async () => 1,
      };
      const status = {
        ready: 0,
        delayed: 0,
        leased: 0,
        dead: 1,
        oldestAgeMs: 0,
        oldestDeadAgeMs: 5,
        isDisabled: false,
      };
      await using console = openConsole({
        outbox: { status: async () => ({ [seed]: status }), deadLetters },
        toolboxes: { agent: toolbox },
        allowActions: true,
        // What an application lets into its own log is not let in here.
        redact: { personalData: false, secrets: () => (seed.startsWith('named-') ? [seed] : []) },
      });
      const { position } = (await console.askJson('api/phone-calls')) as { position: string };
      for (const event of eventsWith(seed)) channel('voice-agent-integrations').publish(event);
      const stream = (await console.ask(`events?after=${position}`)).body?.getReader();
      const validated = console.ask('api/tools/validate', {
        toolbox: 'agent',
        tool: 'note',
        arguments: { text: seed },
      });
      const answers = [
        ...(await Promise.all([...paths.map((path) => console.ask(path)), validated])),
        await console.ask('api/dead-letters/redrive', { handles: [seed] }),
        await console.ask('api/dead-letters/discard', { handles: [seed] }),
      ];

      const served = [
        ...(await Promise.all(
          answers.map(async (answer) => JSON.stringify([...answer.headers]) + (await answer.text())),
        )),
        new TextDecoder().decode((await stream?.read())?.value),
      ].join('\n');
      await stream?.cancel();

      expect(served).toContain('"type":"destination-disabled"');
      expect(served).not.toContain(seed);
    }),
    { numRuns: 60 },
  );
});
