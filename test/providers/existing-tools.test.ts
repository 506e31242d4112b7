import { tool as langchainTool } from '@langchain/core/tools';
import { llm } from '@livekit/agents';
import { createTool } from '@mastra/core/tools';
import { tool as agentsTool, webSearchTool } from '@openai/agents';
import { dynamicTool, jsonSchema, tool as aiTool } from 'ai';
import { tool as aiTool6 } from 'ai-6';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import {
  createToolbox,
  type ExistingTool,
  type ExistingToolOptions,
  type ToolboxOptions,
  type ToolCallContext,
  toolFrom,
} from '../../src/tools/index.ts';

const caller = { phone: '+14155550100', verified: 'caller-id' } as const;

/** A toolbox of one tool, and the errors that its developer gets. */
const boxOf = (given: ExistingTool, options: ExistingToolOptions, more: Partial<ToolboxOptions> = {}) => {
  const errors: string[] = [];
  const tool = toolFrom(given, options);
  const toolbox = createToolbox({
    tools: [tool],
    context: { callId: 'CA1', caller },
    onError: (error) => errors.push(String(error)),
    ...more,
  });
  const run = (args: object, context?: ToolCallContext) => toolbox.run(tool.name, args, context);
  return { tool, run, errors };
};

interface Order {
  readonly item: string;
  readonly count?: number | null | undefined;
}

type Work = (order: Order, signal: AbortSignal | undefined) => unknown;

const description = 'Orders something.';
const schema = z.object({ item: z.string().min(2), count: z.number().int().optional() });
const strict = z.object({ item: z.string().min(2), count: z.number().int().nullable() });

/** One tool in the words of each framework. The OpenAI one throws its errors. */
const frameworks: Readonly<Record<string, (work: Work) => ExistingTool>> = {
  'AI SDK 7': (work) =>
    aiTool({ description, inputSchema: schema, execute: async (args, { abortSignal }) => work(args, abortSignal) }),
  'AI SDK 6': (work) =>
    aiTool6({ description, inputSchema: schema, execute: async (args, { abortSignal }) => work(args, abortSignal) }),
  'OpenAI Agents': (work) =>
    agentsTool({
      name: 'order',
      description,
      parameters: strict,
      errorFunction: null,
      execute: async (args, _, details) => work(args, details?.signal),
    }),
  LangChain: (work) =>
    langchainTool(async (args: Order, config) => work(args, config.signal), { name: 'order', description, schema }),
  Mastra: (work) =>
    createTool({
      id: 'order',
      description,
      inputSchema: schema,
      execute: async (args, { abortSignal }) => work(args, abortSignal),
    }),
  'no framework': (work) => ({
    description,
    inputSchema: schema,
    execute: async (args: Order) => work(args, undefined),
  }),
};

const names = Object.keys(frameworks);
const order = (name: string, work: Work) => frameworks[name]!(work);

describe.each(names)('a tool of %s', (name) => {
  test('has its description and its arguments, and runs with them', async () => {
    const { tool, run } = boxOf(
      order(name, ({ item }) => ({ ordered: item })),
      { name: 'order', effect: 'read' },
    );

    expect(tool).toMatchObject({
      name: 'order',
      description,
      parameters: { properties: { item: { type: 'string' }, count: { type: 'integer' } }, required: ['item'] },
    });
    expect(await run({ item: 'tea' })).toMatchObject({ status: 'done', value: { ordered: 'tea' } });
  });

  test('isn’t run with arguments that its schema refuses', async () => {
    let runs = 0;
    const { run, errors } = boxOf(
      order(name, () => (runs += 1)),
      { name: 'order', effect: 'write' },
    );

    const result = await run({ item: 't', count: 1.5 });
    expect(result).toMatchObject({ status: 'refused', value: { error: 'invalid_arguments' } });
    expect(result.text).toContain('"item"');
    expect([runs, errors]).toEqual([0, []]);
  });

  test('that throws leaves its write unknown, and its words don’t reach the model', async () => {
    const work = () => {
      throw new Error('socket hang up at pg://root:hunter2@db');
    };
    const { run, errors } = boxOf(order(name, work), { name: 'order', effect: 'write' });

    const result = await run({ item: 'tea' });
    expect(result.status).toBe('unknown');
    expect(result.text).not.toMatch(/hang up|hunter2|try again/i);
    expect(errors).toHaveLength(1);
  });

  test.each([
    [{ error: 'the card was not accepted' }],
    [{ success: true, error: { code: 'E1' } }],
    [{ success: false }],
    [{ ok: false, reason: 'busy' }],
    [{ data: null, errors: [{ message: 'no' }] }],
    ['Error: 502 Bad Gateway'],
    ['TypeError: x is not a function'],
    ['Failed to create the order.'],
    ['An error occurred while ordering.'],
    ['{"success":true,"error":"timeout"}'],
  ])('that answers %j has not certainly done its write', async (answer) => {
    const { run, errors } = boxOf(
      order(name, () => answer),
      { name: 'order', effect: 'write' },
    );

    expect((await run({ item: 'tea' })).status).toBe('unknown');
    expect(errors).toEqual([expect.stringContaining('give outcome')]);
  });

  test.each([[{ error: null, id: 7 }], [{ errors: [] }], ['Ordered. No error.'], [undefined]])(
    'that answers %j has done its write',
    async (answer) => {
      const { run, errors } = boxOf(
        order(name, () => answer),
        { name: 'order', effect: 'write' },
      );

      expect((await run({ item: 'tea' })).status).toBe('done');
      expect(errors).toEqual([]);
    },
  );

  test('of a look-up may speak of errors', async () => {
    const { run } = boxOf(
      order(name, () => ({ error: 'no such order' })),
      { name: 'order', effect: 'read' },
    );

    expect(await run({ item: 'tea' })).toMatchObject({ status: 'done', value: { error: 'no such order' } });
  });

  test('has its answers read by your outcome', async () => {
    const { run } = boxOf(
      order(name, () => '{"error":"sold out"}'),
      {
        name: 'order',
        effect: 'write',
        outcome: (answer) => (typeof answer === 'object' && answer !== null && 'error' in answer ? 'refused' : 'done'),
      },
    );

    expect(await run({ item: 'tea' })).toMatchObject({ status: 'refused', value: { error: 'sold out' } });
  });

  test('gets the signal, and a call that is taken back ends at once', async () => {
    const abort = new AbortController();
    let seen: AbortSignal | undefined;
    const began = Promise.withResolvers<void>();
    const work: Work = (_, signal) => {
      seen = signal;
      began.resolve();
      return new Promise(() => {});
    };
    const { run } = boxOf(order(name, work), { name: 'order', effect: 'read' });

    const running = run({ item: 'tea' }, { signal: abort.signal });
    await began.promise;
    abort.abort();
    expect((await running).status).toBe('cancelled');
    expect(seen?.aborted).toBe(name === 'no framework' ? undefined : true);
  });

  test('ends when its time is up: a look-up has failed, a write is unknown', async () => {
    const work = () => new Promise(() => {});
    for (const [effect, status] of [
      ['read', 'failed'],
      ['write', 'unknown'],
    ] as const) {
      const { run } = boxOf(order(name, work), { name: 'order', effect }, { deadline: 1 });
      expect((await run({ item: 'tea' })).status).toBe(status);
    }
  });

  test('that pays is charged once, with the caller’s yes, and its cut end is unknown', async () => {
    let charges = 0;
    const work = () => {
      charges += 1;
      throw new Error('socket hang up');
    };
    const { tool, run } = boxOf(order(name, work), {
      name: 'order',
      effect: 'payment',
      amount: ({ count }) => Number(count),
    });
    expect(tool.confirm).toBe('two-step');

    for (const toolCallId of ['call_1', 'call_2']) {
      const result = await run({ item: 'tea', count: 5 }, { toolCallId, confirmed: true });
      expect(result).toMatchObject({ status: 'unknown', value: { error: 'payment_status_unknown' } });
    }
    expect(charges).toBe(1);
  });

  test('gives away no argument that you bind', async () => {
    let ordered: unknown;
    const work: Work = (args) => {
      ordered = args;
      return { done: true };
    };
    const { tool, run } = boxOf(order(name, work), { name: 'order', effect: 'write', bind: { item: 'tea' } });

    expect(Object.keys(tool.parameters.properties)).toEqual(['count', 'again']);
    await run({ item: 'gold', count: 2 });
    expect(ordered).toEqual({ item: 'tea', count: 2 });
  });
});

const refusalOf = (given: unknown, options: ExistingToolOptions = { name: 'x', effect: 'write' }): string => {
  try {
    toolFrom(given as ExistingTool, options);
    return 'taken';
  } catch (error) {
    return String(error);
  }
};

describe('the AI SDK', () => {
  const inputSchema = z.object({ item: z.string() });

  test('its tools have no name, so that one must be given', () => {
    const given = aiTool({ description, inputSchema, execute: async () => 1 });
    expect(refusalOf(given, { effect: 'read' })).toContain('toolFrom: name must be given, since the tool has none');
    expect(refusalOf(aiTool({ inputSchema, execute: async () => 1 }))).toContain(
      'description must tell the model when',
    );
  });

  test('execute gets what the schema makes of the arguments, which the SDK and not the tool does', async () => {
    const got: unknown[] = [];
    const { run } = boxOf(
      aiTool({
        description,
        inputSchema: z.object({
          day: z.iso.date().transform((day) => new Date(day)),
          note: z.string().trim().default('–'),
        }),
        execute: async (args) => void got.push(args),
      }),
      { name: 'order', effect: 'write' },
    );

    await run({ day: '2026-11-26' });
    expect(got).toEqual([{ day: new Date('2026-11-26'), note: '–' }]);
  });

  test('of a generator the last value counts, and it runs to its end', async () => {
    const steps: string[] = [];
    const streaming = (end: () => unknown) =>
      aiTool({
        description,
        inputSchema,
        async *execute() {
          yield { status: 'loading' };
          steps.push('working');
          yield end();
        },
      });
    const ended = boxOf(
      streaming(() => ({ id: 'A-17', total: 5 })),
      { name: 'order', effect: 'write' },
    );
    expect(await ended.run({ item: 'tea' })).toMatchObject({ status: 'done', value: { total: 5 } });

    const broken = streaming(() => {
      throw new Error('cut');
    });
    const cut = boxOf(broken, { name: 'order', effect: 'write' });
    expect((await cut.run({ item: 'tea' })).status).toBe('unknown');
    expect(steps).toEqual(['working', 'working']);
  });

  test('toModelOutput says what the model sees, and whether it failed', async () => {
    const shownAs = (toModelOutput: (output: { item: string; margin: number }) => never) =>
      boxOf(
        aiTool({
          description,
          inputSchema,
          execute: async ({ item }) => ({ item, margin: 0.4, status: 'ok' }),
          toModelOutput: ({ output }) => toModelOutput(output),
        }),
        { name: 'order', effect: 'write' },
      ).run({ item: 'tea' });

    const shown = { type: 'json', value: { ordered: 'tea' } } as never;
    expect(await shownAs(() => shown)).toMatchObject({ status: 'done', value: { ordered: 'tea' } });
    const text = {
      type: 'content',
      value: [
        { type: 'text', text: 'Ordered.' },
        { type: 'file', data: 'x' },
      ],
    } as never;
    expect((await shownAs(() => text)).value).toBe('Ordered.');
    expect((await shownAs(() => ({ type: 'error-text', value: 'sold out' }) as never)).status).toBe('unknown');
    // The work is done, and the margin stays here.
    const thrown = await shownAs(() => {
      throw new Error('no words');
    });
    expect(thrown).toMatchObject({ status: 'done', value: { done: true } });
  });

  test('a refusal of a payment stays one behind toModelOutput', async () => {
    const { run } = boxOf(
      aiTool({
        description,
        inputSchema: z.object({ amount: z.number() }),
        execute: async () => ({ status: 'declined', error: 'insufficient_funds' }),
        toModelOutput: () => ({ type: 'text', value: 'The card was declined.' }),
      }),
      { name: 'pay', effect: 'payment', confirm: false },
    );

    expect(await run({ amount: 5 })).toMatchObject({ status: 'refused', value: 'The card was declined.' });
  });

  test('jsonSchema() is checked by itself, and by its validate where it has one', async () => {
    const json: Parameters<typeof jsonSchema>[0] & object = {
      type: 'object',
      properties: { item: { type: 'string' }, 'how-many': { type: 'integer' } },
      required: ['item'],
    };
    const got: unknown[] = [];
    const make = (inputSchema: ReturnType<typeof jsonSchema>) =>
      boxOf(aiTool({ description, inputSchema, execute: async (args) => void got.push(args) }), {
        name: 'order',
        effect: 'write',
      });

    const plain = make(jsonSchema(json));
    expect(Object.keys(plain.tool.parameters.properties)).toEqual(['item', 'how_many', 'again']);
    expect((await plain.run({ item: 5 })).status).toBe('refused');
    await plain.run({ item: 'tea', how_many: 2 });
    const checked = make(
      jsonSchema(json, {
        validate: (value) =>
          (value as { item: string }).item === 'tea'
            ? { success: true, value }
            : { success: false, error: new Error('only tea') },
      }),
    );
    expect((await checked.run({ item: 'gold' })).value).toMatchObject({ error: 'invalid_arguments' });
    await checked.run({ item: 'tea' });
    expect(got).toEqual([{ item: 'tea', 'how-many': 2 }, { item: 'tea' }]);
    expect(
      refusalOf(aiTool({ description, inputSchema: jsonSchema(async () => json), execute: async () => 1 })),
    ).toContain('schema is a promise of JSON Schema: await it first');
  });

  test('a tool that needs an approval keeps that', async () => {
    const needy = (needsApproval: boolean | ((args: { item: string }) => boolean)) =>
      aiTool({ description, inputSchema, needsApproval, execute: async () => ({ ok: true }) });
    const framework = { approve: 'framework' } as const;

    const options = { name: 'order', effect: 'write' } as const;
    const { tool, run } = boxOf(needy(true), options, framework);
    expect(tool.confirm).toBe('approve');
    expect((await run({ item: 'tea' })).status).toBe('refused');
    expect((await run({ item: 'tea' }, { approved: true })).status).toBe('done');
    expect(() => boxOf(needy(true), options)).toThrow(/approve/);
    for (const confirm of [false, 'two-step'] as const)
      expect(refusalOf(needy(true), { ...options, confirm })).toContain("confirm must be 'approve' or 'both'");
    expect(toolFrom(needy(true), { ...options, confirm: 'both' }).confirm).toBe('both');
    expect(toolFrom(needy(true), { ...options, effect: 'payment', amount: () => 1 }).confirm).toBe('both');

    const gold = needy(({ item }) => item === 'gold');
    const sometimes = boxOf(gold, options);
    expect((await sometimes.run({ item: 'tea' })).status).toBe('done');
    expect((await sometimes.run({ item: 'gold' })).status).toBe('failed');
    expect(sometimes.errors).toEqual([expect.stringContaining("confirm of order must be 'approve' or 'both'")]);
    const asked = boxOf(gold, { ...options, confirm: 'approve' }, framework);
    expect((await asked.run({ item: 'gold' }, { approved: true })).status).toBe('done');
  });

  test('a context that isn’t there belongs to no one: the tool fails instead of taking it for empty', async () => {
    const charged: unknown[] = [];
    const given = aiTool({
      description,
      inputSchema,
      execute: async (_, { context }) => void charged.push((context as { customer?: string }).customer),
    });
    const { run, errors } = boxOf(given, { name: 'order', effect: 'write' });

    expect((await run({ item: 'tea' })).status).toBe('unknown');
    expect([charged, errors]).toEqual([[], [expect.stringContaining('reads customer of its run')]]);
  });

  test('what can’t run here is refused', () => {
    const dynamic = dynamicTool({ description, inputSchema, execute: async () => 1 });
    expect(refusalOf(dynamic)).toContain('tool is a dynamic tool, of unknown arguments');
    expect(refusalOf(aiTool({ description, inputSchema, outputSchema: z.string() }))).toContain('has no execute');
    expect(
      refusalOf({ type: 'provider', id: 'openai.web_search', args: {}, inputSchema, isProviderExecuted: true }),
    ).toContain('is run by its provider');
    const withContext = aiTool({
      description,
      inputSchema,
      contextSchema: z.object({ user: z.string() }),
      execute: async () => 1,
    });
    expect(refusalOf(withContext)).toContain('needs a context of the AI SDK');
  });

  test('a result of an MCP server that is marked as an error is one', async () => {
    const result = { content: [{ type: 'text', text: 'It is done.' }], isError: true };
    const given = aiTool({ description, inputSchema, execute: async () => result });

    expect((await boxOf(given, { name: 'order', effect: 'write' }).run({ item: 'tea' })).status).toBe('unknown');
    expect((await boxOf(given, { name: 'order', effect: 'read' }).run({ item: 'tea' })).status).toBe('failed');
  });
});

describe('OpenAI Agents', () => {
  const parameters = z.object({ item: z.string() });
  const throwing = () => {
    throw new Error('socket hang up');
  };
  let done = 0;
  const work = () => {
    done += 1;
    return 'Ordered.';
  };

  test('the sentence that it makes of an error is no success', async () => {
    const given = agentsTool({ name: 'order', description, parameters, execute: throwing });

    const written = await boxOf(given, { effect: 'write' }).run({ item: 'tea' });
    expect(written.status).toBe('unknown');
    expect(written.text).not.toContain('try again');
    expect((await boxOf(given, { effect: 'read' }).run({ item: 'tea' })).status).toBe('failed');
    const paid = await boxOf(given, { effect: 'payment', amount: () => 5, confirm: false }).run({ item: 'tea' });
    expect(paid.value).toMatchObject({ error: 'payment_status_unknown' });
  });

  test('nor is the one of its own time limit', async () => {
    const given = agentsTool({
      name: 'order',
      description,
      parameters,
      timeoutMs: 1,
      execute: () => new Promise(() => {}),
    });

    expect((await boxOf(given, { effect: 'write' }).run({ item: 'tea' })).status).toBe('unknown');
  });

  test('a write whose own words for an error look like success isn’t run', async () => {
    for (const hidden of [
      { errorFunction: () => 'We are on it.' },
      { errorFunction: null, timeoutMs: 60_000, timeoutErrorFunction: () => 'We are on it.' },
    ]) {
      const given = agentsTool({ name: 'order', description, parameters, execute: work, ...hidden });
      const { run, errors } = boxOf(given, { effect: 'write' });
      const before = done;

      expect((await run({ item: 'tea' })).status).toBe('failed');
      expect([done, errors]).toEqual([before, [expect.stringContaining('errorFunction of order must be null')]]);
      expect((await boxOf(given, { effect: 'read' }).run({ item: 'tea' })).value).toBe('Ordered.');
    }
  });

  test('is asked once how it fails, and nothing runs for that', async () => {
    const before = done;
    let asked = 0;
    const errorFunction = () => {
      asked += 1;
      return 'An error occurred while running the tool. Please try again.';
    };
    const { run } = boxOf(agentsTool({ name: 'order', description, parameters, execute: work, errorFunction }), {
      effect: 'write',
    });

    await run({ item: 'tea' }, { toolCallId: 'call_1' });
    await run({ item: 'coffee' }, { toolCallId: 'call_2' });
    expect([done - before, asked]).toEqual([2, 1]);
  });

  test('an argument that may be absent is null', async () => {
    let got: unknown;
    const given = agentsTool({
      name: 'order',
      description,
      parameters: z.object({ item: z.string(), note: z.string().nullable() }),
      execute: async (args) => {
        got = args;
        return 'Ordered.';
      },
    });

    await boxOf(given, { effect: 'write' }).run({ item: 'tea' });
    expect(got).toEqual({ item: 'tea', note: null });
  });

  test('needsApproval and isEnabled are asked for each call', async () => {
    const before = done;
    const needy = agentsTool({ name: 'order', description, parameters, execute: work, needsApproval: true });
    const { run, errors } = boxOf(needy, { effect: 'write' });
    expect((await run({ item: 'tea' })).status).toBe('failed');
    expect(errors).toEqual([expect.stringContaining("confirm of order must be 'approve' or 'both'")]);
    const off = agentsTool({ name: 'order', description, parameters, execute: work, isEnabled: async () => false });
    expect((await boxOf(off, { effect: 'write' }).run({ item: 'tea' })).value).toEqual({ error: 'not_available' });
    expect(done).toBe(before);

    const asked = boxOf(needy, { effect: 'write', confirm: 'approve' }, { approve: () => true });
    expect((await asked.run({ item: 'tea' })).status).toBe('done');
  });

  test('what can’t run here is refused', () => {
    const guard = { name: 'g', run: async () => ({ behavior: { type: 'allow' } }) } as never;
    const guarded = agentsTool({ name: 'order', description, parameters, execute: work, inputGuardrails: [guard] });
    expect(refusalOf(guarded)).toContain('has inputGuardrails, which only its SDK runs: use rules');
    expect(refusalOf(webSearchTool())).toContain('is a hosted_tool of its provider');
  });
});

describe('LangChain', () => {
  test('a tool of one text has one argument', async () => {
    const { tool, run } = boxOf(
      langchainTool(async (said: string) => `Said ${said}.`, { name: 'say-it', description: 'Says something.' }),
      { effect: 'read' },
    );

    expect(tool.name).toBe('say_it');
    expect(tool.parameters.properties).toMatchObject({ input: { type: 'string' } });
    expect((await run({ input: 'hello' })).value).toBe('Said hello.');
  });

  test('JSON that it returns as a text is read, and personal data in it stays here', async () => {
    const answer = JSON.stringify({ total: 5, email: 'ada@example.com', api_key: 'sk_live_1' });
    const given = langchainTool(async () => answer, { name: 'find', description, schema: z.object({}) });

    expect((await boxOf(given, { effect: 'read' }).run({})).value).toEqual({ total: 5 });
  });

  test('schemas that change a value change it once', async () => {
    const got: unknown[] = [];
    const given = langchainTool(async (args) => void got.push(args), {
      name: 'order',
      description,
      schema: z.object({ count: z.string().transform(Number) }),
    });

    expect((await boxOf(given, { effect: 'write' }).run({ count: '5' })).status).toBe('done');
    expect(got).toEqual([{ count: 5 }]);
  });

  test('a message and a command are read as what they are', async () => {
    const answers = {
      failed: { lc_direct_tool_output: true, tool_call_id: 'a', status: 'error', content: 'no' },
      done: {
        lc_direct_tool_output: true,
        tool_call_id: 'a',
        status: 'success',
        content: [{ type: 'text', text: 'Ordered.' }],
      },
      command: { lg_name: 'Command', lc_direct_tool_output: true, update: {} },
    };
    const results = await Promise.all(
      Object.values(answers).map((answer) =>
        boxOf(
          langchainTool(async () => answer as never, { name: 'order', description, schema: z.object({}) }),
          {
            effect: 'write',
          },
        ).run({}),
      ),
    );

    expect(results.map(({ status, value }) => (status === 'done' ? value : status))).toEqual([
      'unknown',
      'Ordered.',
      'unknown',
    ]);
  });

  test('a payment goes on to its end, although the caller has hung up', async () => {
    const abort = new AbortController();
    const work = Promise.withResolvers<unknown>();
    const settled = Promise.withResolvers<unknown>();
    const began = Promise.withResolvers<void>();
    const given = langchainTool(
      async () => {
        began.resolve();
        return (await work.promise) as never;
      },
      { name: 'pay', description, schema: z.object({ amount: z.number() }) },
    );
    const { run } = boxOf(given, { effect: 'payment', confirm: false });

    const running = run(
      { amount: 5 },
      { signal: abort.signal, onSettled: ({ result }) => settled.resolve(result.value) },
    );
    await began.promise;
    abort.abort();
    expect((await running).value).toMatchObject({ outcome: 'unknown' });
    work.resolve({ success: true, confirmation_number: 'C-1' });
    expect(await settled.promise).toEqual({ success: true, confirmation_number: 'C-1' });
  });
});

describe('Mastra', () => {
  const inputSchema = z.object({ item: z.string() });
  const make = (own: object) =>
    createTool({ id: 'order-it', description, inputSchema, execute: async () => ({ ok: true }), ...own });

  test('an answer that its outputSchema refuses comes after the work', async () => {
    const { tool, run } = boxOf(make({ outputSchema: z.object({ id: z.number() }) }), { effect: 'write' });

    const result = await run({ item: 'tea' });
    expect([tool.name, result.status]).toEqual(['order_it', 'unknown']);
    expect(result.text).not.toContain('validation');
  });

  test('arguments that only its own schema refuses are no unknown end', async () => {
    const given = make({});
    const strictly = make({ inputSchema: z.object({ item: z.string().max(1) }) });
    const { run } = boxOf(Object.assign(given, { execute: strictly.execute }), {
      effect: 'payment',
      amount: () => 5,
      confirm: false,
    });

    expect((await run({ item: 'tea' })).value).not.toMatchObject({ outcome: 'unknown' });
  });

  test('its observer is there', async () => {
    const { run } = boxOf(
      make({
        execute: async (
          _: unknown,
          {
            observe,
          }: { observe: { log: (...words: string[]) => void; span: (name: string, work: () => unknown) => unknown } },
        ) => {
          observe.log('info', 'ordering');
          return observe.span('order', () => ({ ordered: 1 }));
        },
      }),
      { effect: 'write' },
    );

    expect((await run({ item: 'tea' })).value).toEqual({ ordered: 1 });
  });

  test('requireApproval tightens, and what suspends is refused', async () => {
    expect(toolFrom(make({ requireApproval: true }), { effect: 'write' }).confirm).toBe('approve');
    const sometimes = boxOf(make({ requireApproval: async ({ item }: { item: string }) => item === 'gold' }), {
      effect: 'write',
    });
    expect([(await sometimes.run({ item: 'tea' })).status, (await sometimes.run({ item: 'gold' })).status]).toEqual([
      'done',
      'failed',
    ]);
    expect(refusalOf(make({ suspendSchema: z.object({ why: z.string() }) }))).toContain('suspends its run');
    expect(refusalOf(make({ requestContextSchema: z.object({ user: z.string() }) }))).toContain(
      'needs a request context of Mastra',
    );
  });

  test('toModelOutput says what the model sees', async () => {
    const { run } = boxOf(make({ toModelOutput: () => ({ type: 'text', value: 'Ordered.' }) }), { effect: 'write' });

    expect((await run({ item: 'tea' })).value).toBe('Ordered.');
  });
});

describe('schemas', () => {
  const sizes = { Small: 0, Large: 1, 0: 'Small', 1: 'Large' } as const;
  const schema3 = z3.object({
    item: z3.string().min(2).max(9).describe('What to order'),
    count: z3.number().int().min(1).default(1),
    price: z3.number().gt(0).optional(),
    kind: z3.enum(['tea', 'gold']).optional(),
    size: z3.nativeEnum(sizes).optional(),
    gift: z3.boolean().nullable(),
    lines: z3
      .array(z3.object({ sku: z3.string() }))
      .min(1)
      .max(3)
      .optional(),
    labels: z3.record(z3.string()).optional(),
    at: z3.union([z3.string(), z3.number()]).optional(),
    mode: z3.literal('fast').optional(),
    trimmed: z3
      .string()
      .trim()
      .transform((said) => said.toUpperCase())
      .optional(),
  });

  test.each(['AI SDK', 'LangChain', 'Mastra', 'OpenAI Agents'])('zod 3, in a tool of %s', async (name) => {
    const got: unknown[] = [];
    const execute = async (args: unknown) => void got.push(args);
    const given = {
      'AI SDK': () => aiTool({ description, inputSchema: schema3, execute }),
      LangChain: () => langchainTool(execute, { name: 'order', description, schema: schema3 as never }),
      Mastra: () => createTool({ id: 'order', description, inputSchema: schema3, execute: execute as never }),
      'OpenAI Agents': () =>
        agentsTool({
          name: 'order',
          description,
          parameters: z3.object({ item: z3.string().min(2), gift: z3.boolean().nullable() }) as never,
          execute,
        }),
    }[name]!() as ExistingTool;
    const { tool, run } = boxOf(given, { name: 'order', effect: 'write' });

    expect(tool.parameters.properties).toMatchObject({ item: { type: 'string' }, gift: { type: 'boolean' } });
    expect(tool.parameters.required).toEqual(['item']);
    expect((await run({ item: 't' })).status).toBe('refused');
    await run({ item: 'tea' });
    expect(got).toMatchObject([{ item: 'tea', gift: null }]);
    expect(got).toMatchObject([name === 'OpenAI Agents' ? {} : { count: 1 }]);
  });

  test('zod 3: every kind is said as it is', () => {
    const { parameters } = toolFrom(aiTool({ description, inputSchema: schema3, execute: async () => 1 }), {
      name: 'x',
      effect: 'read',
    });

    expect(parameters.properties).toMatchObject({
      item: { type: 'string', minLength: 2, maxLength: 9, description: expect.stringContaining('What to order') },
      count: { type: 'integer', minimum: 1, default: 1 },
      price: { type: 'number', exclusiveMinimum: 0 },
      kind: { type: 'string', enum: ['tea', 'gold'] },
      size: { enum: [0, 1] },
      lines: { type: 'array', items: { properties: { sku: { type: 'string' } } }, minItems: 1, maxItems: 3 },
      labels: { type: 'string', description: expect.stringContaining('JSON text') },
      at: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      mode: { enum: ['fast'] },
      trimmed: { type: 'string' },
    });
  });

  test('a Standard Schema that can’t say its JSON Schema is refused', () => {
    const own = { '~standard': { version: 1, vendor: 'acme', validate: (value: unknown) => ({ value }) } } as const;
    expect(refusalOf({ description, inputSchema: own, execute: async () => 1 })).toContain(
      'can’t be turned into JSON Schema',
    );
    expect(refusalOf({ description, inputSchema: 'none', execute: async () => 1 })).toContain(
      'schema is none that can be read',
    );
  });

  test('the idempotency key comes from here, whatever its schema wants of it', async () => {
    const keys: unknown[] = [];
    const given = aiTool({
      description,
      inputSchema: z.object({ amount: z.number(), request_key: z.string().regex(/^[0-9a-f]{64}$/) }),
      execute: async ({ request_key }): Promise<string> => {
        keys.push(request_key);
        throw new Error('cut');
      },
    });
    const { tool, run } = boxOf(given, { name: 'pay', effect: 'payment', key: 'request_key', confirm: false });

    expect(Object.keys(tool.parameters.properties)).toEqual(['amount']);
    for (const toolCallId of ['call_1', 'call_2'])
      expect((await run({ amount: 5 }, { toolCallId })).status).toBe('unknown');
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });
});

test('names that providers refuse are renamed', () => {
  const named = (id: string) =>
    toolFrom(createTool({ id, description, execute: async () => 1 }), { effect: 'read' }).name;

  expect(['get-weather', 'getWeather', 'Get weather!', '2fa'].map(named)).toEqual([
    'get_weather',
    'get_weather',
    'get_weather',
    'tool_2fa',
  ]);
});

test.each([
  [undefined, 'tool is undefined'],
  ['weather', 'tool is a string'],
  [() => 1, 'for your own function use defineTool'],
  [[], 'is a list: call toolFrom for each tool'],
  [Promise.resolve(), 'is a promise: await it'],
  [{}, 'is none that can be read'],
  [
    { weather: aiTool({ inputSchema: z.object({}), execute: async () => 1 }) },
    'is a record of tools: give one of them, such as tools.weather',
  ],
  [{ type: 'function', function: { name: 'x', parameters: {} } }, 'only describes a tool'],
  [{ type: 'function', name: 'x', parameters: {} }, 'only describes a tool'],
  [llm.tool({ description, parameters: z.object({}), execute: async () => 1 }), "needs LiveKit's session"],
  [
    toolFrom({ description, inputSchema: z.object({}), execute: () => 1 }, { name: 'x', effect: 'read' }),
    'is a tool of this package already',
  ],
])('what is no tool of these is refused: %#', (given, words) => {
  expect(refusalOf(given)).toContain(words);
});
