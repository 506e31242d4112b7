import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { InvalidArgumentError } from '../../src/index.ts';
import { createToolbox, defineTool } from '../../src/tools/index.ts';
import { anthropic } from '../../src/tools/providers/anthropic.ts';
import { generateContent } from '../../src/tools/providers/google.ts';
import { chat, realtime } from '../../src/tools/providers/openai.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: unknown;
}

const partsOf = (schema: Schema): readonly Schema[] => [
  schema,
  ...[
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? []),
  ].flatMap(partsOf),
];

const toolboxOf = (parameters: z.ZodType<object>) =>
  createToolbox({
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks.',
        parameters,
        effect: 'payment',
        confirm: false,
        run: () => ({ success: true }),
      }),
    ],
    context: { callId: 'CA1' },
  });

/** What looks around or back, which no automaton can. */
const oddPattern = /\(\?(?!:)|\\[1-9bBkpP]/;

const keywords = {
  openai: new Set(
    'type description enum pattern format items properties required anyOf additionalProperties minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems'.split(
      ' ',
    ),
  ),
  anthropic: new Set(
    'type description enum format items properties required anyOf additionalProperties minItems'.split(' '),
  ),
  gemini: new Set(
    'type description enum pattern format items properties required anyOf minimum maximum minLength maxLength minItems maxItems'.split(
      ' ',
    ),
  ),
};
const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

/** What OpenAI's page on structured outputs says of strict mode. */
const refusedByOpenAi = (part: Schema): readonly string[] => [
  ...Object.keys(part).filter((keyword) => !keywords.openai.has(keyword)),
  ...(part.format !== undefined && !formats.includes(part.format) ? ['format'] : []),
  ...(oddPattern.test(part.pattern ?? '') ? ['pattern'] : []),
  ...(part.enum?.length === 0 || part.anyOf?.length === 0 ? ['nothing to choose'] : []),
  ...(part.properties && part.additionalProperties !== false ? ['additionalProperties'] : []),
  ...(part.properties && Object.keys(part.properties).some((name) => !part.required?.includes(name))
    ? ['required']
    : []),
];

const refusedByAnthropic = (part: Schema): readonly string[] => [
  ...Object.keys(part).filter((keyword) => !keywords.anthropic.has(keyword)),
  ...(part.properties && part.additionalProperties !== false ? ['additionalProperties'] : []),
  ...(part.enum?.some((value) => typeof value === 'object' && value !== null) ? ['enum'] : []),
];

const refusedByGemini = (part: Schema): readonly string[] => [
  ...Object.keys(part).filter((keyword) => !keywords.gemini.has(keyword)),
  ...(part.type === 'OBJECT' && Object.keys(part.properties ?? {}).length === 0 ? ['properties'] : []),
  ...(part.enum && (part.type !== 'STRING' || part.enum.includes('') || part.enum.length === 0) ? ['enum'] : []),
  ...(part.anyOf && Object.keys(part).length > 1 ? ['next to anyOf'] : []),
  ...(part.type === 'ARRAY' && !part.items ? ['items'] : []),
  ...(oddPattern.test(part.pattern ?? '') ? ['pattern'] : []),
  ...(part.required?.some((name) => !part.properties?.[name]) ? ['required'] : []),
];

const refusedByRealtime = (part: Schema): readonly string[] => (oddPattern.test(part.pattern ?? '') ? ['pattern'] : []);

const taken = {
  'a negative lookahead': z.string().regex(/^(?!0)\d{4}$/),
  'a positive lookahead': z.string().regex(/^(?=.*\d)[a-z\d]+$/),
  'a lookbehind': z.string().regex(/(?<=-)\d+$/),
  'a negative lookbehind': z.string().regex(/(?<!-)\d+$/),
  'a back reference': z.string().regex(/^(\d)\1$/),
  'a named group and its reference': z.string().regex(/^(?<digit>\d)\k<digit>$/),
  'a word boundary': z.string().regex(/\bINV\b/),
  'a property of Unicode': z.string().regex(/^\p{L}+$/u),
  'a lookahead in a list': z.array(z.string().regex(/^(?!0)\d{4}$/)),
  'an optional lookahead': z
    .string()
    .regex(/^(?!0)\d{4}$/)
    .optional(),
  'a lookahead in a choice': z.union([z.string().regex(/^(?!0)\d{4}$/), z.number()]),
  'a lookahead two levels down': z.object({ b: z.object({ c: z.string().regex(/^(?!0)/) }) }),
  'an empty text among choices': z.enum(['', 'a']),
  'an empty text among optional choices': z.enum(['', 'a']).optional(),
  'an empty text among choices that may be null': z.enum(['', 'a']).nullable(),
  'an empty text among choices in a list': z.array(z.enum(['', 'a'])),
  'an empty text alone': z.literal(''),
  'a union with an empty text': z.union([z.literal(''), z.literal('a')]),
  'numbers to choose from': z.literal([1, 2]),
  'an enum of numbers': z.enum({ low: 0, high: 1 }),
  'true alone': z.literal(true),
  'a url': z.url(),
  'a date that goes in as text': z.iso.datetime(),
  base64: z.base64(),
  'a number with limits': z.number().gt(0).multipleOf(0.01).lt(5000),
  'a text with limits and a default': z.string().min(2).max(9).default('ab'),
  'a list with limits': z.array(z.int()).min(2).max(3),
  'a choice of objects': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('card'), last4: z.string() }),
    z.object({ kind: z.literal('bank'), iban: z.string().optional() }),
  ]),
  'an intersection': z.intersection(z.object({ b: z.string() }), z.object({ c: z.number() })),
  'a loose object with a property': z.looseObject({ b: z.string() }),
  'a thousand choices': z.enum(Array.from({ length: 1_000 }, (_, index) => `c${index}`)),
};

describe('a schema that defineTool takes is in the subset of', () => {
  test.each(Object.entries(taken))('each provider: %s', (_, schema) => {
    const toolbox = toolboxOf(z.object({ a: schema, other: z.string().optional() }));
    const [strict] = chat.tools(toolbox);
    const [session] = realtime.tools(toolbox);
    const [held] = anthropic.tools(toolbox, { strict: true });
    const [declared] = generateContent.tools(toolbox)[0]?.functionDeclarations ?? [];

    expect({
      openai: partsOf(strict?.function.parameters as Schema).flatMap(refusedByOpenAi),
      realtime: partsOf(session?.parameters as Schema).flatMap(refusedByRealtime),
      anthropic: partsOf(held?.input_schema as Schema).flatMap(refusedByAnthropic),
      gemini: partsOf(declared?.parameters as Schema).flatMap(refusedByGemini),
    }).toEqual({ openai: [], realtime: [], anthropic: [], gemini: [] });
  });
});

test('a pattern that no provider takes is in words', () => {
  const [tool] = toolboxOf(
    z.object({
      a: z
        .string()
        .regex(/^(?!0)\d{4}$/)
        .describe('The PIN'),
    }),
  ).tools();

  expect(tool?.parameters.properties).toEqual({
    a: { type: 'string', description: 'The PIN. Matches ^(?!0)\\d{4}$.' },
  });
});

test('an empty text to choose is in words for Gemini', () => {
  const [declared] =
    generateContent.tools(toolboxOf(z.object({ a: z.enum(['', 'a']) })))[0]?.functionDeclarations ?? [];

  expect(declared?.parameters).toMatchObject({ properties: { a: { type: 'STRING', description: 'One of "", "a".' } } });
});

test.each([['^[A-Z]{2}\\d{4}$'], ['^(?:a|b)+$'], ['^\\(?\\d+\\)?$'], ['^\\\\b$'], ['^\\d{1,999}$'], ['^[^,]+$']])(
  'a plain pattern stays one: %s',
  (pattern) => {
    const [tool] = toolboxOf(z.object({ a: z.string().regex(new RegExp(pattern)) })).tools();

    expect(tool?.parameters.properties['a']?.pattern).toBe(pattern);
  },
);

test.each<[string, z.ZodType, string]>([
  ['an object without properties', z.object({}), 'parameters.a must have a property'],
  ['an optional one', z.object({}).optional(), 'parameters.a must have a property'],
  ['one in a list', z.array(z.object({})), 'parameters.a.[] must have a property'],
  ['one in a choice', z.union([z.object({}), z.string()]), 'parameters.a must have a property'],
  ['one in an object', z.object({ b: z.object({}) }), 'parameters.a.b must have a property'],
  ['one from JSON Schema', z.fromJSONSchema({ type: 'object' }), 'parameters.a must'],
  ['a record', z.record(z.string(), z.object({})), 'parameters.a must name its properties'],
  ['a tuple', z.tuple([z.string(), z.number()]), 'parameters.a must not be a tuple'],
  ['never', z.never(), 'parameters.a must not use `not`'],
  ['anything', z.any(), 'parameters.a must say what it accepts'],
  ['a list of anything', z.array(z.any()), 'parameters.a.[] must say what it accepts'],
  ['1,001 choices', z.enum(Array.from({ length: 1_001 }, (_, index) => `c${index}`)), 'parameters.a has 1001 choices'],
  ['no choice', z.enum([]), 'parameters.a must'],
])('defineTool refuses %s', (_, schema, words) => {
  expect(() => toolboxOf(z.object({ a: schema }))).toThrow(InvalidArgumentError);
  expect(() => toolboxOf(z.object({ a: schema }))).toThrow(words);
});
