import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../../src/dev/cli/exit-codes.ts';
import { runCli } from '../../support/run-cli.ts';
import { makeScratchFolder, type ScratchFolder } from '../../support/scratch-folder.ts';

let folder: ScratchFolder;
beforeAll(async () => {
  folder = await makeScratchFolder();
});
afterAll(() => folder.remove());

const initApi = async (description: object | string, name = 'api.json') => {
  const text =
    typeof description === 'string'
      ? description
      : JSON.stringify({ openapi: '3.1.0', info: { title: 'Things' }, ...description });
  await writeFile(folder.file(name), text);
  return runCli(['init', 'api', name], { cwd: folder.path });
};

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = <Value>(count: number, make: (index: number) => readonly [string, Value]): Record<string, Value> =>
  Object.fromEntries(many(count, make));

const receiving = (schema: object, schemas: object = {}) => ({
  paths: { '/things': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } },
  components: { schemas },
});
const sending = (schema: object, schemas: object = {}) => ({
  paths: { '/things': { post: { requestBody: { required: true, content: { 'application/json': { schema } } } } } },
  components: { schemas },
});
const operations = (operation: object) => ({ paths: { '/things': { get: operation } } });
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object) => ({ type: 'object', properties });
/** JSON as text, which isn't nested while it's made. */
const nested = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth);

describe('init api writes a client of', () => {
  test.each<[string, object, RegExp]>([
    ['a summary of 80,000 brackets', operations({ summary: '<'.repeat(80_000) }), /\/\*\* <+… \*\//],
    ['a summary of 80,000 spaces', operations({ summary: `a${' '.repeat(80_000)}b.` }), /getThings: \{/],
    ['a path of 80,000 braces', { paths: { [`/${'{'.repeat(80_000)}`]: { get: {} } } }, /since a brace in its path/],
    [
      '6,000 operations with one id',
      { paths: named(6_000, (index) => [`/things/${index}`, { get: { operationId: 'getThing' } }]) },
      /getThing6000: \{/,
    ],
    [
      '6,000 operations whose ids have numbers already',
      { paths: named(6_000, (index) => [`/things/${index}`, { get: { operationId: `get${(index % 50) + 1}` } }]) },
      /get50\d+: \{/,
    ],
    ['an operation id of a megabyte', operations({ operationId: 'a'.repeat(1_000_000) }), / {2}a{200}: \{/],
    ['a tag of a megabyte', operations({ operationId: 'x', tags: ['invoice'.repeat(150_000)] }), /x: \{/],
    [
      'an address of 80,000 characters',
      { ...operations({}), servers: [{ url: `https://a/${'b'.repeat(80_000)}#c` }] },
      /https:\/\/api\.example\.com/,
    ],
    [
      'schemas that need one another 5,000 deep',
      receiving(
        reference('S0'),
        named(5_000, (index) => [`S${index}`, object({ next: reference(`S${index + 1}`) })]),
      ),
      /is reached over too many others, and anything is accepted there/,
    ],
    [
      'references to references to references',
      receiving(
        reference('S0'),
        named(5_000, (index) => [`S${index}`, reference(`S${index + 1}`)]),
      ),
      /leads nowhere/,
    ],
    [
      'schemas in a circle of 100',
      receiving(
        reference('S0'),
        named(100, (index) => [`S${index}`, object({ next: reference(`S${(index + 1) % 100}`) })]),
      ),
      /contains itself, and anything is accepted there/,
    ],
    ['a reference to itself', receiving(reference('S'), { S: reference('S') }), /leads nowhere/],
    [
      'parts of parts that grow tenfold with each level',
      receiving(
        reference('S0'),
        named(11, (index) => [`S${index}`, { allOf: many(10, () => reference(`S${index + 1}`)) }]),
      ),
      /s0 = /,
    ],
    ['an allOf of 5,000 texts', receiving({ allOf: many(5_000, () => ({ type: 'string' })) }), /allOf of 5000 parts/],
    [
      'a choice of 5,000 references',
      sending(
        { oneOf: many(5_000, (index) => reference(`S${index}`)) },
        named(5_000, (index) => [`S${index}`, object({ a: { type: 'string' } })]),
      ),
      /s4999Input\.loose\(\)/,
    ],
    [
      'an enum of 200,000',
      sending({ type: 'string', enum: many(200_000, (index) => `value ${index}`) }),
      /body: z\.string\(\)/,
    ],
    [
      '50,000 fields',
      receiving(object(named(50_000, (index) => [`field${index}`, { type: 'string' }]))),
      /field49999: z\.string/,
    ],
    [
      '150,000 references that lead nowhere',
      receiving(object(named(150_000, (index) => [`field${index}`, reference(`S${index}`)]))),
      /S149999 leads nowhere/,
    ],
    [
      'nesting of 60 levels',
      receiving(
        many(28, () => 0).reduce((inner: object) => object({ next: inner }), object({ end: { type: 'string' } })),
      ),
      /end: z/,
    ],
  ])(
    '%s',
    async (_what, description, code) => {
      const { exitCode, printed, noted } = await initApi(description);

      expect(noted).not.toContain('call stack');
      expect(exitCode).toBe(exitCodes.ok);
      expect(`${printed}\n${noted}`).toMatch(code);
    },
    60_000,
  );
});

describe('init api refuses, in a sentence,', () => {
  const anchors = (levels: number) =>
    many(levels, (index) => `l${index + 1}: &l${index + 1} [${many(10, () => `*l${index}`).join(', ')}]`).join('\n');
  test.each<[string, string, string, RegExp]>([
    [
      'schemas that are nested 3,000 deep',
      'api.json',
      `{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":{"schema":${nested(3_000, '{"type":"array","items":', '{}', '}')}}}}}}}}}`,
      /nested deeper than 200 levels \(give schemas a name in components, and use \$ref/,
    ],
    [
      'an example that is nested 100,000 deep',
      'api.json',
      `{"openapi":"3.1.0","x":${nested(100_000, '[', '', ']')}}`,
      /nested deeper than/,
    ],
    [
      'YAML that is nested 20,000 deep',
      'api.yaml',
      `openapi: 3.1.0\nx: ${nested(20_000, '[', '', ']')}\n`,
      /nested deeper than/,
    ],
    [
      'aliases that grow tenfold with each level',
      'api.yaml',
      `openapi: 3.1.0\nl0: &l0 [x]\n${anchors(9)}\n`,
      /neither JSON nor YAML|too large/,
    ],
    ['an alias in a circle', 'api.yaml', 'openapi: 3.1.0\na: &a\n  b: *a\n', /nested deeper than/],
    [
      'an alias of a megabyte that is used 900 times',
      'api.yaml',
      `openapi: 3.1.0\na: &a ${'x'.repeat(1_000_000)}\nb: [${many(900, () => '*a').join(', ')}]\n`,
      /too large/,
    ],
  ])(
    '%s',
    async (_what, name, text, words) => {
      const { exitCode, noted } = await initApi(text, name);

      expect(exitCode).toBe(exitCodes.problems);
      expect(noted).toMatch(words);
      expect(noted).not.toContain('call stack');
    },
    60_000,
  );
});
