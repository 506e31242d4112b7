import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool, type ToolOptions } from '../../src/tools/index.ts';

const shape = z.object({
  amount: z.number().gt(0).lt(5000),
  email: z.email().nullish(),
  phone: z.e164().nullish(),
  count: z.int().min(1).optional(),
  size: z.enum(['small', 'large']).nullish(),
  note: z.string().min(2).max(10).nullish(),
  flag: z.boolean().nullish(),
  tags: z.array(z.string()).max(2).nullish(),
  nested: z.object({ a: z.string(), b: z.string().nullish() }).nullish(),
  always: z.string().nullable().optional(),
});

const run = async (args: unknown, own: Partial<ToolOptions<object, unknown>> = {}, context: object = {}) => {
  const seen: object[] = [];
  const tool = defineTool<object, unknown>({
    name: 'tool',
    description: 'A tool.',
    parameters: shape,
    effect: 'read',
    run: (given) => void seen.push(given),
    ...own,
  });
  const errors: unknown[] = [];
  const toolbox = createToolbox({ tools: [tool], context: { callId: 'CA1' }, onError: (error) => errors.push(error) });
  const result = await toolbox.run('tool', args, context);
  return { seen: seen[0], result, errors, tool };
};

describe('arguments that are taken', () => {
  test.each<[string, unknown, object]>([
    ['an object', { amount: 5 }, { amount: 5 }],
    ['JSON text', '{"amount":5}', { amount: 5 }],
    ['null for what is absent', { amount: 5, email: null, count: null, nested: null }, { amount: 5 }],
    ['null deep inside', { amount: 5, nested: { a: 'x', b: null } }, { amount: 5, nested: { a: 'x' } }],
    [
      'foreign keys, which are dropped',
      { amount: 5, tool_call_id: 'x', lk_agents_confirm_duplicate: true },
      { amount: 5 },
    ],
    ['a key that would reach a prototype', '{"amount":5,"__proto__":{"flag":true}}', { amount: 5 }],
  ])('%s', async (_what, args, expected) => {
    const { seen, result } = await run(args);

    expect(result.status).toBe('done');
    expect(seen).toEqual(expected);
  });

  test('an empty text where the argument is optional, as if it were absent', async () => {
    const blank = { email: '', phone: ' ', count: '', size: '', note: '', flag: '', tags: '', nested: '', always: '' };

    expect((await run({ amount: 5, ...blank })).seen).toEqual({ amount: 5 });
    expect((await run({ amount: 5, nested: { a: 'x', b: '' } })).seen).toEqual({ amount: 5, nested: { a: 'x' } });
  });

  test.each([undefined, '', {}, '{}'])('%j for no arguments at all', async (args) => {
    const { result } = await run(args, { parameters: z.object({ a: z.string().nullish() }) });

    expect(result.status).toBe('done');
  });

  test('null where it is a value of its own', async () => {
    const { seen } = await run({}, { parameters: z.object({ a: z.string().nullable() }) });

    expect(seen).toEqual({ a: null });
  });

  test('what a schema makes of them', async () => {
    const { seen } = await run(
      { a: ' x ' },
      { parameters: z.object({ a: z.string().trim(), b: z.string().default('y') }) },
    );

    expect(seen).toEqual({ a: 'x', b: 'y' });
  });
});

describe('arguments that are refused', () => {
  test.each<[unknown, string, string]>([
    ['{broken', 'arguments', 'must be one JSON object'],
    ['[]', 'arguments', 'must be one JSON object'],
    ['"text"', 'arguments', 'must be one JSON object'],
    [7, 'arguments', 'must be one JSON object'],
    ['['.repeat(100_000), 'arguments', 'must be one JSON object'],
    [{}, 'amount', 'is missing'],
    [{ amount: null }, 'amount', 'is missing'],
    [{ amount: '50' }, 'amount', 'must be a number'],
    [{ amount: true }, 'amount', 'must be a number'],
    [{ amount: Number.NaN }, 'amount', 'must be a number'],
    ['{"amount":1e400}', 'amount', 'must be a number'],
    [{ amount: 0 }, 'amount', 'must be greater than 0'],
    [{ amount: 5000 }, 'amount', 'must be below 5000'],
    [{ amount: 5, email: 'not-an-email' }, 'email', 'must be an e-mail address'],
    [{ amount: 5, phone: '4155550100' }, 'phone', 'must be a phone number in E.164 format, such as +14155550100'],
    [{ amount: 5, count: 1.5 }, 'count', 'must be an integer'],
    [{ amount: 5, count: 0 }, 'count', 'must be at least 1'],
    [{ amount: 5, size: 'medium' }, 'size', 'must be one of small, large'],
    [{ amount: 5, note: 'x' }, 'note', 'must have at least 2 characters'],
    [{ amount: 5, note: 'x'.repeat(11) }, 'note', 'must have at most 10 characters'],
    [{ amount: 5, flag: 'true' }, 'flag', 'must be a boolean'],
    [{ amount: 5, tags: 'a' }, 'tags', 'must be an array'],
    [{ amount: 5, tags: ['a', 'b', 'c'] }, 'tags', 'must have at most 2 entries'],
    [{ amount: 5, tags: ['a', 7] }, 'tags.1', 'must be a string'],
    [{ amount: 5, nested: {} }, 'nested.a', 'is missing'],
  ])('%j', async (args, field, problem) => {
    const { seen, result, errors } = await run(args);

    expect(result).toEqual({
      status: 'refused',
      value: { error: 'invalid_arguments', fields: [{ field, problem }] },
      text: JSON.stringify({ error: 'invalid_arguments', fields: [{ field, problem }] }),
      replayed: false,
    });
    expect(seen).toBeUndefined();
    expect(errors).toEqual([]);
  });

  test.each<[string, z.ZodType, string]>([
    ['uuid', z.uuid(), 'must be a UUID'],
    ['url', z.url(), 'must be a URL, such as https://example.com'],
    ['nanoid', z.nanoid(), 'must be a valid nanoid'],
    ['regex', z.string().regex(/^[A-Z]-\d{4}$/), 'must match /^[A-Z]-\\d{4}$/'],
    ['a long regex', z.string().regex(new RegExp(`^(?:${'abc|'.repeat(20)}x)$`)), 'has the wrong format'],
    [
      'a message',
      z.string().regex(/^[A-Z]-\d{4}$/, 'must be a letter, a dash and four digits'),
      'must be a letter, a dash and four digits',
    ],
    ['a message for a UUID', z.uuid('must be the id of an order'), 'must be the id of an order'],
    [
      'a message that repeats the value',
      z.string().regex(/^\d$/, { error: ({ input }) => `${String(input)} is no digit` }),
      'must match /^\\d$/',
    ],
  ])('the problem names the format, or has the message of the schema: %s', async (_what, schema, problem) => {
    const { result } = await run({ code: 'something' }, { parameters: z.object({ code: schema }) });

    expect(result.value).toEqual({ error: 'invalid_arguments', fields: [{ field: 'code', problem }] });
  });

  test.each<[string, unknown, string]>([
    ['one text of a megabyte', { amount: 5, always: 'x'.repeat(1_000_000) }, 'always'],
    ['a megabyte of JSON', JSON.stringify({ amount: 5, always: 'x'.repeat(1_000_000) }), 'arguments'],
    ['a list without end', { amount: 5, tags: Array.from({ length: 100_000 }, () => 'x') }, 'tags'],
    ['a nesting without end', JSON.parse(`{"amount":5,"nested":${'['.repeat(5_000)}${']'.repeat(5_000)}}`), 'nested'],
    ['a list with fields', Object.assign([], { amount: 5 }), 'arguments'],
  ])('%s is refused in few words', async (_what, args, field) => {
    const { seen, result, errors } = await run(args);

    expect(result).toMatchObject({ status: 'refused', value: { fields: [{ field }] } });
    expect(result.text.length).toBeLessThan(180);
    expect(seen).toBeUndefined();
    expect(errors).toEqual([]);
  });

  test.each(['two-step', false] as const)('a megabyte of foreign keys is dropped (confirm: %s)', async (confirm) => {
    const foreign = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key_${index}`, index]));
    const { result, errors } = await run({ amount: 5, constructor: 1, toString: 2, ...foreign }, { confirm });

    expect(result.text.length).toBeLessThan(300);
    expect(result.text).not.toContain('key_');
    expect(errors).toEqual([]);
  });

  test('a text is no number, unless the schema itself makes one of it', async () => {
    const fields = [{ field: 'a', problem: 'must be a number' }];

    expect((await run({ a: '5' }, { parameters: z.object({ a: z.number() }) })).result.value).toEqual({
      error: 'invalid_arguments',
      fields,
    });
    expect((await run({ a: '5' }, { parameters: z.object({ a: z.coerce.number() }) })).seen).toEqual({ a: 5 });
  });

  test('are named together, as many as fit', async () => {
    const { result } = await run({ amount: '1', email: 7, phone: 7, note: 7, flag: 7, tags: 7, nested: 7 });

    const { fields } = result.value as { fields: object[] };
    expect(fields.slice(0, 2)).toEqual([
      { field: 'amount', problem: 'must be a number' },
      { field: 'email', problem: 'must be a string' },
    ]);
    expect(result.text.length).toBeLessThan(180);
  });

  test('are not repeated, even by a schema that does', async () => {
    const parameters = z.object({
      a: z.string().refine(() => false, { error: ({ input }) => `${String(input)} is wrong` }),
    });
    const { result } = await run({ a: 'my password' }, { parameters });

    expect(result.value).toEqual({ error: 'invalid_arguments', fields: [{ field: 'a', problem: 'is not valid' }] });
  });
});

describe('arguments that the application supplies', () => {
  const parameters = z.object({ customer: z.string().min(3), text: z.string() });
  const args = { text: 'hi', customer: 'forged' };

  test('leave the schema, and what a model sends in their place is dropped', async () => {
    const { seen, tool } = await run(args, { parameters, bind: { customer: 'cus_1' } as object });

    expect(seen).toEqual({ text: 'hi', customer: 'cus_1' });
    expect(tool.parameters).toEqual({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] });
  });

  test('can be found for each call', async () => {
    const bind: object = { customer: async ({ callId }: { callId: string }) => `customer of ${callId}` };
    const { seen } = await run(args, { parameters, bind });

    expect(seen).toEqual({ text: 'hi', customer: 'customer of CA1' });
  });

  test('refuse the call while they are not known', async () => {
    const { result, seen } = await run(args, { parameters, bind: { customer: () => undefined } as object });

    expect(result.value).toEqual({
      error: 'invalid_arguments',
      fields: [{ field: 'customer', problem: 'is not known yet: look it up first' }],
    });
    expect(seen).toBeUndefined();
  });

  test.each<[string, unknown, object, number]>([
    ['once with a value', { text: 'hi' }, { customer: 'cus_1' }, 1],
    ['before a function finds one, and then with it', { text: 'hi' }, { customer: () => 'cus_1' }, 2],
    ['once where a function would find one, if they do not fit', { text: 5 }, { customer: () => 'cus_1' }, 1],
  ])('are checked %s', async (_what, sent, bind, times) => {
    const validate = vi.spyOn(parameters['~standard'], 'validate');

    await run(sent, { parameters, bind });

    expect(validate).toHaveBeenCalledTimes(times);
    validate.mockRestore();
  });

  test('that do not fit are no defect while those of the model do not fit either', async () => {
    const { result, errors } = await run({ text: 5 }, { parameters, bind: { customer: 'x' } as object });

    expect(result.value).toEqual({
      error: 'invalid_arguments',
      fields: [{ field: 'text', problem: 'must be a string' }],
    });
    expect(errors).toEqual([]);
  });

  test('are a defect when they do not fit', async () => {
    const { result, errors } = await run(args, { parameters, bind: { customer: 'x' } as object });

    expect(result.value).toEqual({ error: 'internal_error' });
    expect(errors).toEqual([expect.objectContaining({ code: 'invalid_argument', field: 'bind.customer' })]);
  });
});

test.each(['null', ' null ', '""', '', ' \n', 'undefined', '{}', null, undefined, {}])(
  '%j is no arguments',
  async (args) => {
    const tool = defineTool({
      name: 'look',
      description: 'Looks.',
      parameters: z.object({ day: z.string().optional() }),
      effect: 'read',
      run: (given) => ({ given: Object.keys(given).length }),
    });
    const toolbox = createToolbox({ tools: [tool], context: { callId: 'CA1' } });

    expect((await toolbox.run('look', args)).text).toBe('{"given":0}');
  },
);

test.each(['[]', '[null]', 'false', '0', '"null"', '"{}"', 'nil', '[{}]'])('%s is not arguments', async (args) => {
  const tool = defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: z.object({ day: z.string().optional() }),
    effect: 'read',
    run: () => ({}),
  });
  const toolbox = createToolbox({ tools: [tool], context: { callId: 'CA1' } });

  expect((await toolbox.run('look', args)).text).toContain('must be one JSON object');
});
