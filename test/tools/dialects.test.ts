import { expect, test } from 'vitest';
import { toFields, toGrammar, toOpenApi, toPortable, toStrict } from '../../src/tools/dialects.ts';
import type { ParametersSchema } from '../../src/tools/tool.ts';

const parameters: ParametersSchema = {
  type: 'object',
  properties: {
    amount: { type: 'number', description: 'Below 5000.', exclusiveMinimum: 0, exclusiveMaximum: 5000 },
    count: { type: 'integer', exclusiveMinimum: 0, maximum: 9 },
    level: { type: 'integer', enum: [1, 2] },
    email: { type: 'string', format: 'email', description: 'Of the caller' },
    at: { type: 'string', format: 'date-time' },
    code: { type: 'string', pattern: '^[A-Z]{2}$', minLength: 2, maxLength: 2, default: 'DE' },
    reason: { type: 'string', enum: ['late', 'wrong'] },
    items: {
      type: 'array',
      minItems: 2,
      maxItems: 5,
      items: { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } }, required: ['id'] },
    },
    until: { description: 'A day or a number of days', anyOf: [{ type: 'string' }, { type: 'integer' }] },
  },
  required: ['amount', 'items'],
};

const empty: ParametersSchema = { type: 'object', properties: {}, required: [] };

test('portable parameters stay as they are', () => {
  expect(toPortable(parameters)).toEqual(parameters);
});

test('strict: everything is required, and what may be left out may be null', () => {
  expect(toStrict(parameters)).toEqual({
    type: 'object',
    additionalProperties: false,
    required: ['amount', 'count', 'level', 'email', 'at', 'code', 'reason', 'items', 'until'],
    properties: {
      amount: { type: 'number', description: 'Below 5000.', exclusiveMinimum: 0, exclusiveMaximum: 5000 },
      count: { type: ['integer', 'null'], exclusiveMinimum: 0, maximum: 9 },
      level: { type: ['integer', 'null'], enum: [1, 2, null] },
      email: { type: ['string', 'null'], format: 'email', description: 'Of the caller' },
      at: { type: ['string', 'null'], format: 'date-time' },
      code: { type: ['string', 'null'], pattern: '^[A-Z]{2}$' },
      reason: { type: ['string', 'null'], enum: ['late', 'wrong', null] },
      items: {
        type: 'array',
        minItems: 2,
        maxItems: 5,
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, note: { type: ['string', 'null'] } },
          required: ['id', 'note'],
          additionalProperties: false,
        },
      },
      until: {
        description: 'A day or a number of days',
        anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }],
      },
    },
  });
});

test('strict: what may be left out is described by null', () => {
  const told = (description: string, required: readonly string[] = []) =>
    toStrict({ type: 'object', properties: { a: { type: 'string', description } }, required }).properties['a'];

  expect(told('E.164. Leave out for the caller.')).toEqual({
    type: ['string', 'null'],
    description: 'E.164. Use null for the caller.',
  });
  expect(told("For this call's own, leave it out.")).toMatchObject({ description: "For this call's own, use null." });
  expect(told('Leave out nothing.', ['a'])).toEqual({ type: 'string', description: 'Leave out nothing.' });
});

test('grammar: shapes, choices and formats stay, limits stand in the descriptions alone', () => {
  expect(toGrammar(parameters)).toEqual({
    type: 'object',
    additionalProperties: false,
    required: ['amount', 'items'],
    properties: {
      amount: { type: 'number', description: 'Below 5000.' },
      count: { type: 'integer' },
      level: { type: 'integer', enum: [1, 2] },
      email: { type: 'string', format: 'email', description: 'Of the caller' },
      at: { type: 'string', format: 'date-time' },
      code: { type: 'string', description: 'Matches ^[A-Z]{2}$.' },
      reason: { type: 'string', enum: ['late', 'wrong'] },
      items: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, note: { type: 'string' } },
          required: ['id'],
          additionalProperties: false,
        },
      },
      until: { description: 'A day or a number of days', anyOf: [{ type: 'string' }, { type: 'integer' }] },
    },
  });
});

test('OpenAPI: only the keywords that Gemini knows', () => {
  expect(toOpenApi(parameters)).toEqual({
    type: 'OBJECT',
    required: ['amount', 'items'],
    properties: {
      amount: { type: 'NUMBER', description: 'Below 5000.', minimum: 0, maximum: 5000 },
      count: { type: 'INTEGER', minimum: 1, maximum: 9 },
      level: { type: 'INTEGER', description: 'One of 1, 2.' },
      email: { type: 'STRING', description: 'Of the caller. Format email.' },
      at: { type: 'STRING', format: 'date-time' },
      code: { type: 'STRING', pattern: '^[A-Z]{2}$', minLength: '2', maxLength: '2' },
      reason: { type: 'STRING', format: 'enum', enum: ['late', 'wrong'] },
      items: {
        type: 'ARRAY',
        minItems: '2',
        maxItems: '5',
        items: { type: 'OBJECT', properties: { id: { type: 'STRING' }, note: { type: 'STRING' } }, required: ['id'] },
      },
      until: {
        anyOf: [
          { type: 'STRING', description: 'A day or a number of days' },
          { type: 'INTEGER', description: 'A day or a number of days' },
        ],
      },
    },
  });
});

test('fields: a type and a description each', () => {
  expect(toFields(parameters)).toEqual({
    type: 'object',
    required: ['amount', 'items'],
    properties: {
      amount: { type: 'number', description: 'Below 5000.' },
      count: { type: 'integer', description: 'count' },
      level: { type: 'integer', description: 'One of 1, 2.' },
      email: { type: 'string', description: 'Of the caller. Format email.' },
      at: { type: 'string', description: 'Format date-time.' },
      code: { type: 'string', description: 'code' },
      reason: { type: 'string', description: 'reason', enum: ['late', 'wrong'] },
      items: {
        type: 'array',
        description: 'items',
        items: {
          type: 'object',
          description: 'items',
          properties: { id: { type: 'string', description: 'id' }, note: { type: 'string', description: 'note' } },
          required: ['id'],
        },
      },
      until: { type: 'string', description: 'A day or a number of days' },
    },
  });
});

test('a tool without parameters has a schema that each provider accepts', () => {
  expect(toPortable(empty)).toEqual({ type: 'object', properties: {}, required: [] });
  expect(toStrict(empty)).toEqual({ type: 'object', properties: {}, required: [], additionalProperties: false });
  expect(toGrammar(empty)).toEqual({ type: 'object', properties: {}, required: [], additionalProperties: false });
  expect(toFields(empty)).toEqual({ type: 'object', properties: {}, required: [] });
  expect(toOpenApi(empty)).toBeUndefined();
});
