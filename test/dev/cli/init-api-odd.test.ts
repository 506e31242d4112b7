import { symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSnippets } from '../../support/check-snippets.ts';
import { runCli } from '../../support/run-cli.ts';
import { makeScratchFolder, type ScratchFolder } from '../../support/scratch-folder.ts';

let folder: ScratchFolder;
beforeAll(async () => {
  folder = await makeScratchFolder();
  await symlink(fileURLToPath(new URL('../../../node_modules', import.meta.url)), folder.file('node_modules'));
});
afterAll(() => folder.remove());

const sending = (schema: unknown, schemas: object = {}) => ({
  paths: { '/things': { post: { requestBody: { required: true, content: { 'application/json': { schema } } } } } },
  components: { schemas },
});
const sendingField = (schema: unknown, schemas?: object) =>
  sending({ type: 'object', required: ['it'], properties: { it: schema } }, schemas);
const reading = (schema: unknown) => ({
  paths: { '/things': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } },
});
const readingAt = (path: string, operation: object = {}) => ({ paths: { [path]: { get: operation } } });
const securedBy = (scheme: object, more: object) => ({
  ...more,
  components: { schemas: { btoa: { type: 'string' } }, securitySchemes: { it: scheme } },
  security: [{ it: [] }],
});
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const thing = { type: 'object', properties: { a: text } };

/** What a description may hold, and what the code then has. */
const odd: readonly (readonly [what: string, description: object, code: string | RegExp])[] = [
  ['a body that is a number', sending({ type: 'integer' }), 'body: z.int(),'],
  ['a body of an object or a number', sending({ oneOf: [thing, { type: 'integer' }] }), 'z.int()])'],
  ['a body that may be anything', sending(reference('Any'), { Any: {} }), 'body: anyInput,'],
  [
    'a field with the name of its code',
    sending({ type: 'object', required: ['z.string()'], properties: { 'z.string()': text } }),
    "'z.string()': z.string()",
  ],
  [
    'a choice of an object without fields',
    sendingField({ oneOf: [reference('None'), reference('Thing')] }, { None: { properties: {} }, Thing: thing }),
    'z.union([noneInput, thingInput.loose()])',
  ],
  [
    'a choice of an object that takes no other fields',
    sendingField(
      { oneOf: [reference('Closed'), reference('Thing')] },
      { Closed: { ...thing, additionalProperties: false }, Thing: thing },
    ),
    'z.union([closedInput, thingInput.loose()])',
  ],
  [
    'a choice of an object that only the API writes',
    sendingField(
      { oneOf: [reference('Own'), reference('Thing')] },
      { Own: { properties: { id: { type: 'string', readOnly: true } } }, Thing: thing },
    ),
    'z.union([ownInput, thingInput.loose()])',
  ],
  [
    'a pattern of letters in any script',
    sendingField({ type: 'string', pattern: '^\\p{L}+$' }),
    '.regex(/^\\p{L}+$/u)',
  ],
  [
    'a pattern that only old JavaScript takes',
    sendingField({ type: 'string', pattern: "^[\\w-.]+\\_\\8'$" }),
    '.regex(new RegExp("^[\\\\w-.]+\\\\_\\\\8\'$"))',
  ],
  [
    'a pattern over several lines',
    sendingField({ type: 'string', pattern: 'a\n\u2028/`${evil()}' }),
    ".regex(new RegExp('a\\n\\u2028/`${evil()}'))",
  ],
  [
    'a format that is a name of JavaScript',
    sendingField({ type: 'string', format: 'constructor' }),
    'it: z.string() }',
  ],
  [
    'a style that is a name of JavaScript',
    readingAt('/x', {
      parameters: [{ in: 'query', name: 'a', style: 'constructor', explode: false, schema: { type: 'array' } }],
    }),
    "values.join(',')",
  ],
  ['no schema at all', readingAt('/x', { responses: { 200: { content: { 'text/plain': {} } } } }), /^(?!.*zod)/s],
  ['a path with half a brace', readingAt('/x/{id'), '// Left out: GET /x/{id, since a brace in its path'],
  ['names in a path that are alike', readingAt('/x/{a-b}/{a.b}/{aB}/{名}'), "'/x/{aB2}/{aB3}/{aB}/{id}'"],
  [
    'constants of several types in an answer',
    reading({ type: 'object', required: ['it'], properties: { it: { enum: ['a', 1, 2] } } }),
    'z.union([z.string(), z.number()])',
  ],
  [
    'an address with a number in it',
    { servers: [{ url: 'https://a.example:{port}/', variables: { port: { default: 8443 } } }], ...readingAt('/x') },
    "'https://a.example:8443/'",
  ],
  [
    'an address that is none',
    { servers: [{ url: 'https://a b/' }], ...readingAt('/x') },
    "doesn't say where the API is",
  ],
  [
    'tokens from an address without a host',
    securedBy({ type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token' } } }, readingAt('/x')),
    "// Decide: the description doesn't say where tokens come from.",
  ],
  [
    'a schema that is named like a function',
    securedBy({ type: 'http', scheme: 'basic' }, { paths: sendingField(reference('btoa')).paths }),
    'btoaInput',
  ],
  [
    'characters that turn a text around',
    sendingField({ enum: ['a\u202eb', 'c'] }),
    /^(?!.*\u202e)(?=.*'a\\{1,2}u202eb')/s,
  ],
  [
    'parts of which one is needed elsewhere',
    sendingField({ allOf: [reference('Thing')], required: ['a'] }, { Thing: thing }),
    'it: z.object({ a: z.string() })',
  ],
  [
    'parts with further fields',
    sendingField(
      { allOf: [reference('Thing')], properties: { b: text }, additionalProperties: true },
      { Thing: thing },
    ),
    'z.looseObject({ a: z.string().optional(), b: z.string().optional() })',
  ],
  [
    'parts that lead in a circle',
    sending(reference('A'), { A: { allOf: [reference('A'), reference('B')] }, B: { allOf: [reference('A')] } }),
    'contains itself',
  ],
];

describe('an odd description', () => {
  const codes = new Map<string, string>();
  beforeAll(async () => {
    for (const [what, description] of odd) {
      const file = folder.file('description.json');
      await writeFile(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'Acme' }, ...description }));
      codes.set(what, (await runCli(['init', 'api', file])).printed);
    }
  });

  test.each(odd)('with %s', (what, _description, code) => {
    expect(codes.get(what)).toMatch(code);
  });

  test('becomes code that compiles', async () => {
    const files = [...codes].map(([what, code]) => ({ page: what, line: 1, code }));
    expect(await checkSnippets(files)).toEqual([]);
  }, 120_000);

  test.each(odd)('can be imported with %s', async (what) => {
    const file = folder.file(`${odd.findIndex(([one]) => one === what)}.ts`);
    await writeFile(file, codes.get(what) ?? '');
    await expect(import(pathToFileURL(file).href)).resolves.toHaveProperty('acme');
  });

  test('in YAML that leads in a circle is refused', async () => {
    const file = folder.file('circle.yaml');
    await writeFile(file, 'openapi: 3.1.0\npaths: &a\n  it: *a\n');
    const { exitCode, noted } = await runCli(['init', 'api', file]);
    expect({ exitCode, noted }).toEqual({ exitCode: 1, noted: expect.stringContaining('is nested deeper than') });
  });
});
