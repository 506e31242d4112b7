import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { InvalidArgumentError } from '../../src/index.ts';
import { defineTool, type ToolOptions } from '../../src/tools/index.ts';

const define = (parameters: z.ZodType<object>, own: Partial<ToolOptions<object, unknown>> = {}) =>
  defineTool<object, unknown>({
    name: 'tool',
    description: 'A tool.',
    parameters,
    effect: 'read',
    run: () => undefined,
    ...own,
  });

const fromJSONSchema = (schema: z.core.JSONSchema.JSONSchema) => z.fromJSONSchema(schema) as z.ZodType<object>;

const propertiesOf = (shape: z.ZodRawShape) => define(z.object(shape)).parameters.properties;

describe('the definition of a tool', () => {
  test('has a properties map also without arguments', () => {
    expect(define(z.object({})).parameters).toEqual({ type: 'object', properties: {}, required: [] });
  });

  test('may come from JSON Schema that says nothing of other fields', () => {
    const schema: z.core.JSONSchema.JSONSchema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    };
    const nothing = { type: 'object', properties: {}, required: [] };

    expect(define(fromJSONSchema(schema)).parameters).toEqual(schema);
    expect(define(fromJSONSchema({ type: 'object' })).parameters).toEqual(nothing);
  });

  test('holds only what every provider takes', () => {
    expect(
      define(
        z.object({
          email: z.email(),
          phone: z.e164(),
          day: z.iso.date(),
          id: z.uuid(),
          note: z.string().max(200).nullish().describe('What was said'),
          size: z.enum(['s', 'm']),
          kind: z.literal('x'),
          count: z.int().min(1),
          amount: z.number().gt(0).lt(5000),
          flag: z.boolean().optional(),
          nothing: z.string().nullable(),
          either: z.union([z.string(), z.number()]),
          list: z.array(z.object({ a: z.string() })).max(3),
        }),
      ).parameters,
    ).toEqual({
      type: 'object',
      properties: {
        email: { type: 'string', format: 'email' },
        phone: { type: 'string', description: 'E.164 format, such as +14155550100.' },
        day: { type: 'string', format: 'date' },
        id: { type: 'string', format: 'uuid' },
        note: { type: 'string', maxLength: 200, description: 'What was said. At most 200 characters.' },
        size: { type: 'string', enum: ['s', 'm'] },
        kind: { type: 'string', enum: ['x'] },
        count: { type: 'integer', minimum: 1, description: 'At least 1.' },
        amount: {
          type: 'number',
          exclusiveMinimum: 0,
          exclusiveMaximum: 5000,
          description: 'Greater than 0, below 5000.',
        },
        flag: { type: 'boolean' },
        nothing: { type: 'string' },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        list: {
          type: 'array',
          items: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          maxItems: 3,
          description: 'At most 3 entries.',
        },
      },
      required: ['email', 'phone', 'day', 'id', 'size', 'kind', 'count', 'amount', 'either', 'list'],
    });
  });

  test('is what goes in, not what comes out: a default is not required, a transformed text stays a text', () => {
    const { properties, required } = define(
      z.object({ a: z.string().default('x'), b: z.string().transform((text) => text.length) }),
    ).parameters;

    expect(properties).toEqual({ a: { type: 'string', default: 'x' }, b: { type: 'string' } });
    expect(required).toEqual(['b']);
  });

  test('has no references', () => {
    const money = z.object({ amount: z.number() }).meta({ id: 'Money' });

    expect(propertiesOf({ a: money, b: money })).toEqual({
      a: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
      b: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
    });
  });

  test('does not say a limit twice', () => {
    expect(propertiesOf({ text: z.string().max(80).describe('At most 80 letters') })['text']).toEqual({
      type: 'string',
      maxLength: 80,
      description: 'At most 80 letters',
    });
  });

  test.each([
    [
      'two objects',
      [{ type: 'object', properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } } }],
    ],
    [
      'one of them required',
      [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'string' } }, type: 'object' },
      ],
    ],
    [
      'one within another',
      [
        { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }] },
        { properties: { b: { type: 'string' } } },
      ],
    ],
  ])('has the fields of all parts of an allOf: %s', async (_what, allOf) => {
    const made = [{ allOf }, { type: 'object', properties: { in: { allOf } } }].map((jsonSchema) =>
      define(z.looseObject({}), { jsonSchema }),
    );

    expect(Object.keys(made[0]?.parameters.properties ?? {}).toSorted()).toEqual(['a', 'b']);
    expect(Object.keys(made[1]?.parameters.properties['in']?.properties ?? {}).toSorted()).toEqual(['a', 'b']);
    expect(made[0]?.parameters.required).toEqual(JSON.stringify(allOf).includes('required') ? ['a'] : []);
    expect(made[0]?.read({ a: '1', b: '2', c: '3' })).toMatchObject({ ok: true, args: { a: '1', b: '2' } });
  });

  test('takes a JSON Schema next to a schema that has none', async () => {
    const standard = {
      version: 1,
      vendor: 'mine',
      validate: (value: unknown) => ({ value: value as { a: string } }),
    } as const;
    const tool = defineTool({
      name: 'tool',
      description: 'A tool.',
      parameters: { '~standard': standard },
      jsonSchema: {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        additionalProperties: false,
      },
      effect: 'read',
      run: ({ a }) => a,
    });

    expect(tool.parameters).toEqual({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
    expect(() =>
      defineTool({
        name: 'tool',
        description: 'x',
        parameters: { '~standard': standard },
        effect: 'read',
        run: () => 1,
      }),
    ).toThrow(/defineTool tool: parameters cannot be turned into JSON Schema: also pass `jsonSchema`.*zod 4/);
  });
});

describe('a definition that some provider would refuse', () => {
  test.each(['', 'Tool', 'tool-1', `t${'x'.repeat(40)}`])('the name %j', (name) => {
    expect(() => define(z.object({}), { name })).toThrow(/name must begin with a lower-case letter/);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('a payment that is made once within %s ms', (windowMs) => {
    expect(() => define(z.object({}), { once: { what: () => 'it', windowMs } })).toThrow(
      'once.windowMs must be a number of milliseconds, 0 or more',
    );
  });

  test('a description that is missing or too long', () => {
    expect(() => define(z.object({}), { description: ' ' })).toThrow('description must tell the model when');
    expect(() => define(z.object({}), { description: 'x'.repeat(1025) })).toThrow(
      'description has 1025 characters: shorten it to 1024',
    );
    expect(define(z.object({}), { description: 'x'.repeat(1024) }).description).toHaveLength(1024);
  });

  const recursive = z.object({
    value: z.string(),
    get next() {
      return recursive.optional();
    },
  });

  test.each<[string, z.ZodType<object>, string]>([
    ['a record', z.object({ a: z.record(z.string(), z.number()) }), 'parameters.a must name its properties'],
    ['an object of anything', z.object({ a: z.looseObject({}) }), 'parameters.a must name its properties'],
    ['a tuple', z.object({ a: z.tuple([z.string(), z.number()]) }), 'parameters.a must not be a tuple'],
    ['anything', z.object({ a: z.any() }), 'parameters.a must say what it accepts'],
    ['a date', z.object({ a: z.date() }), 'parameters cannot be turned into JSON Schema'],
    ['something that contains itself', recursive, 'parameters must not contain itself'],
    ['a list at the root', z.array(z.string()), 'parameters must be an object'],
    [
      'a choice at the root',
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      'parameters must be one object',
    ],
    ['a name with a dash', z.object({ 'a-b': z.string() }), 'parameters.a-b must be named differently'],
    [
      'a name that reaches a prototype',
      z.object({ constructor: z.string() }),
      'parameters.constructor must be named differently',
    ],
    [
      'a record deep inside',
      z.object({ a: z.array(z.object({ b: z.record(z.string(), z.string()) })) }),
      'parameters.a.[].b must name',
    ],
  ])('%s', (_what, parameters, message) => {
    expect(() => define(parameters)).toThrow(message);
  });

  test('a bound argument that does not exist', () => {
    const bind: object = { b: 1 };
    expect(() => define(z.object({ a: z.string() }), { bind })).toThrow('bind.b must be one of the parameters');
  });
});

describe('in plain JavaScript', () => {
  const withParameters = (parameters: unknown) => () => define(parameters as z.ZodType<object>);

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'z.object({}) is a tool without arguments'],
    ['null', null, 'z.object({}) is a tool without arguments'],
    ['an empty object', {}, 'z.object({}) is a tool without arguments'],
    ['a function', () => ({}), 'z.object({}) is a tool without arguments'],
    ['a text', 'string', 'z.object({}) is a tool without arguments'],
    ['a list', [z.string()], 'z.object({}) is a tool without arguments'],
    ['a shape', { a: z.string() }, 'wrap the shape in z.object(…)'],
    ['a shape among other things', { a: 1, b: z.number() }, 'wrap the shape in z.object(…)'],
    ['JSON Schema', { type: 'object', properties: {} }, 'for JSON Schema pass z.fromJSONSchema(…) of zod'],
    ['JSON Schema of a choice', { anyOf: [] }, 'for JSON Schema pass z.fromJSONSchema(…) of zod'],
    ['a text schema', z.string(), 'must be an object: wrap other values in a property'],
  ])('parameters that are %s are refused in words that help', (_, parameters, words) => {
    expect(withParameters(parameters)).toThrow(InvalidArgumentError);
    expect(withParameters(parameters)).toThrow(words);
  });

  test.each<[string, Partial<ToolOptions<object, unknown>> | object, string]>([
    ['name', { name: undefined }, 'name must begin'],
    ['name that is a number', { name: 7 }, 'name must begin'],
    ['description', { description: undefined }, 'description must tell'],
    ['run', { run: undefined }, 'run must be a function'],
    ['run that is a text', { run: 'go' }, 'run must be a function'],
  ])('a missing %s is refused', (_, own, words) => {
    expect(() => define(z.object({}), own)).toThrow(InvalidArgumentError);
    expect(() => define(z.object({}), own)).toThrow(words);
  });
});
