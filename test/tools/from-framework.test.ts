import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  createToolbox,
  type ExistingTool,
  type ExistingToolOptions,
  type ToolCallContext,
  toolFrom,
} from '../../src/tools/index.ts';

const description = 'Orders something.';
const inputSchema = z.object({ item: z.string() });

const runnerOf = (given: ExistingTool, options: ExistingToolOptions) => {
  const errors: string[] = [];
  const tool = toolFrom(given, options);
  const toolbox = createToolbox({
    tools: [tool],
    context: { callId: 'CA1' },
    onError: (error) => errors.push(String(error)),
  });
  return {
    tool,
    errors,
    run: (args: object, context?: ToolCallContext) => toolbox.run(tool.name, args, context),
  };
};

/** The end of a write whose function gives this answer, and what the model gets. */
const endOf = async (answer: unknown, options: Partial<ExistingToolOptions> = {}) => {
  const given = { description, inputSchema, execute: () => answer };
  const { status, value } = await runnerOf(given, { name: 'order', effect: 'write', ...options }).run({ item: 'tea' });
  return [status, status === 'done' ? value : undefined];
};

describe('an answer', () => {
  test.each([
    ['JSON as a text', '{"total":5,"email":"ada@example.com"}', { total: 5 }],
    ['a text in parts', [{ type: 'text', text: 'Ordered.' }], 'Ordered.'],
    ['a text of one part', { type: 'text', text: '{"total":5}' }, { total: 5 }],
    ['content of MCP', { content: [{ type: 'text', text: 'a' }, { type: 'image' }], isError: false }, 'a'],
    ['structured content', { content: [], structuredContent: { total: 5 } }, { total: 5 }],
    ['a record with a content of its own', { title: 'T', content: ['a'] }, { title: 'T', content: ['a'] }],
    ['text that is no JSON', '{not json', '{not json'],
    ['an error of nothing', { error: '', errors: {}, error_code: 0, ok: true }, { error_code: 0, ok: true }],
    ['a status of HTTP', { status: 201, total: 5 }, { status: 201, total: 5 }],
    [
      'an error of another record',
      { job: { last: 1, error: 'old' }, total: 5 },
      { job_last: 1, job_error: 'old', total: 5 },
    ],
    ['a word that begins so', 'Errorless.', 'Errorless.'],
    ['a note about a failure', 'Note added: the payment failed.', 'Note added: the payment failed.'],
    ['parts of which none failed', { created: 3, failed: 0 }, { created: 3, failed: 0 }],
    ['a code for the caller', { code: 412, item: 'tea' }, { code: 412, item: 'tea' }],
    ['where it goes', { state: 'CA', item: 'tea' }, { state: 'CA', item: 'tea' }],
    ['a task that is open', { item: 'tea', done: false }, { item: 'tea', done: false }],
    ['a response of fetch', Response.json({ total: 5 }), { total: 5 }],
    ['a stream of text', ReadableStream.from(['Ord', 'ered.']), 'Ordered.'],
    ['a stream of records', ReadableStream.from([{ total: 1 }, { total: 5 }]), { total: 5 }],
    ['a word like another language’s', 'Komma added.', 'Komma added.'],
  ])('is read: %s', async (_, answer, value) => {
    expect(await endOf(answer)).toEqual(['done', value]);
  });

  test.each([
    ['a page for people', '<!DOCTYPE html><title>502</title><p>Your order was not sent. OK</p>'],
    ['a denial', 'Permission denied'],
    ['a denial in JSON', '{"message":"Order not found."}'],
    ['a limit', 'Rate limit exceeded, wait 5 seconds'],
    ['no', false],
    ['no in a word', { success: 'no', id: 5 }],
    ['a state', { state: 'FAILURE', id: 5 }],
    ['a code with its words', { code: 503, message: 'Unavailable' }],
    ['a flag', { is_error: true, id: 5 }],
    ['a part that failed', { created: 3, failed: 1 }],
    ['a fault', { fault: { faultstring: 'Quota' } }],
    ['an error that was returned', new Error('no')],
    ['marked content', { content: [{ type: 'text', text: 'Done.' }], isError: true }],
    ['a marked record', { isError: true, total: 5 }],
    ['an error in structured content', { content: [], structuredContent: { error: 'sold out' } }],
    ['an error in JSON in a text', [{ type: 'text', text: '{"success":false}' }]],
    ['a text of another language of errors', '❌ Error executing tool: no'],
    ['a time-out', 'Timed out.'],
    ['an error that is true', { error: true, message: 'no' }],
    ['a status in a word', { status: 'error', message: 'no' }],
    ['a status of HTTP', { statusCode: 503 }],
    ['an error of GraphQL', { data: { orderCreate: { order: null, userErrors: [{ message: 'no' }] } } }],
    ['an error in a wrapper', { data: { successful: false } }],
    ['one of several', { results: [{ ok: true }, { ok: false }] }],
    ['axios', 'Request failed with status code 500'],
    ['HTTP', '502 Bad Gateway'],
    ['politeness', 'Sorry, the shop is closed.'],
    ['an error message', { success: true, errorMessage: 'sold out' }],
    ['a response of fetch', new Response('sold out', { status: 409 })],
    ['a stream', ReadableStream.from(['Err', 'or: no'])],
    ['a status of HTTP as a text', { status: '500' }],
    ['a code of HTTP', { http_code: 500, id: 5 }],
    ['German', 'Fehler: Kunde nicht gefunden'],
    ['French', { erreur: 'Client introuvable' }],
    ['Spanish', '{"message":"Fallo interno"}'],
    ['Italian', 'Errore: articolo esaurito'],
    ['Japanese', 'エラーが発生しました'],
    ['Chinese', { result: '失败' }],
    ['Russian', 'Ошибка'],
  ])('speaks of a failure: %s', async (_, answer) => {
    expect(await endOf(answer)).toEqual(['unknown', undefined]);
  });

  test('of a generator without values is nothing, and one that ends in an error is unknown', async () => {
    const ends = [
      async function* () {},
      async function* () {
        yield { total: 5 };
        throw new Error('cut');
      },
    ].map((execute) =>
      runnerOf({ description, inputSchema, execute }, { name: 'order', effect: 'write' }).run({ item: 'tea' }),
    );

    expect((await Promise.all(ends)).map(({ status }) => status)).toEqual(['done', 'unknown']);
  });

  test('of a generator comes from a run to its end', async () => {
    let made = 0;
    function* execute() {
      yield 'working';
      made += 1;
      yield { total: made };
    }
    const { run } = runnerOf({ description, inputSchema, execute }, { name: 'order', effect: 'write' });

    expect(await run({ item: 'tea' })).toMatchObject({ status: 'done', value: { total: 1 } });
  });

  test('of a look-up is what the model reads, whatever its words', async () => {
    for (const answer of ['Fehler: nichts gefunden', { error: 'none' }, { status: 'abgelehnt' }])
      expect((await endOf(answer, { effect: 'read' }))[0]).toBe('done');
  });

  test('of a payment that was declined in one word is a refusal', async () => {
    const given = { description, inputSchema, execute: () => ({ status: 'declined', error: 'no_funds' }) };
    const { run, errors } = runnerOf(given, { name: 'pay', effect: 'payment', amount: () => 5, confirm: false });

    expect((await run({ item: 'tea' })).status).toBe('refused');
    expect(errors).toEqual([]);
  });
});

test.each(['Paid.', 'The card was declined.', null, ['ok']])(
  'a payment that answers %j is not known as made',
  async (answer) => {
    const given = { description, inputSchema, execute: () => answer };
    const options = { name: 'pay', effect: 'payment', amount: () => 5, confirm: false } as const;
    const { run, errors } = runnerOf(given, options);

    expect((await run({ item: 'tea' })).value).toMatchObject({ error: 'payment_status_unknown' });
    expect(errors).toEqual([expect.stringContaining('give outcome')]);
    const clear = runnerOf(given, { ...options, outcome: (found) => (found === 'Paid.' ? 'done' : 'refused') });
    expect((await clear.run({ item: 'tea' })).status).toBe(answer === 'Paid.' ? 'done' : 'refused');
  },
);

test('the effect may depend on the arguments, and so does what an error means', async () => {
  const given = {
    description,
    inputSchema: z.object({ method: z.enum(['list', 'cancel']) }),
    execute: ({ method }: { method: string }) => ({ error: `no ${method}` }),
  };
  const { run } = runnerOf(given, {
    name: 'orders',
    effect: ({ method }) => (method === 'list' ? 'read' : 'write'),
    amount: () => 0,
  });

  expect([(await run({ method: 'list' })).status, (await run({ method: 'cancel' })).status]).toEqual([
    'done',
    'unknown',
  ]);
});

test('OpenAPI’s word for an argument that may be null is understood', async () => {
  const got: unknown[] = [];
  const schema = { type: 'object', properties: { note: { type: 'string', nullable: true } }, required: ['note'] };
  const given = { description, inputSchema: schema, execute: (args: unknown) => void got.push(args) };
  const { tool, run } = runnerOf(given, { name: 'order', effect: 'write' });

  await run({});
  expect([tool.parameters.required, got]).toEqual([[], [{ note: null }]]);
});

test('its own functions keep their object', async () => {
  class Shop {
    readonly description = description;
    readonly inputSchema = inputSchema;
    readonly #stock = 3;
    execute() {
      return { stock: this.#stock };
    }
  }

  expect((await runnerOf(new Shop(), { name: 'order', effect: 'read' }).run({ item: 'tea' })).value).toEqual({
    stock: 3,
  });
});

test('rules and words are yours', async () => {
  const given = { description, inputSchema, execute: () => ({ ordered: 1 }) };
  const { tool, run } = runnerOf(given, {
    name: 'order_it',
    description: 'Orders for the caller.',
    effect: 'write',
    rules: [({ item }) => (item === 'tea' ? undefined : { field: 'item', problem: 'must be tea' })],
    compact: () => 'Ordered.',
  });

  expect([tool.name, tool.description]).toEqual(['order_it', 'Orders for the caller.']);
  expect((await run({ item: 'gold' })).status).toBe('refused');
  expect((await run({ item: 'tea' })).value).toBe('Ordered.');
});

test.each([
  ['a misspelt option', { name: 'x', effect: 'read', binds: {} }, 'binds is not an option: did you mean bind?'],
  ['no effect', { name: 'x' }, "effect must be 'read', 'write', 'payment' or a function of the arguments"],
  ['an unknown argument', { name: 'x', effect: 'read', bind: { town: 1 } }, 'bind.town must be one of the arguments'],
  [
    'a payment without an amount',
    { name: 'x', effect: 'payment', confirm: false },
    'amount must be a function of the arguments',
  ],
  ['a name that no provider takes', { name: 'Pay!', effect: 'read' }, 'name must begin with a lower-case letter'],
])('%s is refused', (_, options, words) => {
  expect(() => toolFrom({ description, inputSchema, execute: () => 1 }, options as ExistingToolOptions)).toThrow(words);
});
