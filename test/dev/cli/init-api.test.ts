import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSnippets } from '../../support/check-snippets.ts';
import { runCli } from '../../support/run-cli.ts';
import { runCommand } from '../../support/run-command.ts';

const descriptions = fileURLToPath(new URL('../../support/descriptions/', import.meta.url));
const bookings = join(descriptions, 'bookings.yaml');
const shop = join(descriptions, 'shop.json');
const intercom = fileURLToPath(new URL('../../platforms/intercom/api.intercom.io-2.16.yaml', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'init-api-'));
});
afterAll(() => rm(folder, { recursive: true }));

const init = async (file: string, ...options: readonly string[]) => {
  const { printed, noted, exitCode } = await runCli(['init', 'api', file, ...options]);
  return { code: printed, notes: noted.split('\n'), exitCode };
};

/** A description with one operation. */
const describing = async (operation: object, more: object = {}): Promise<string> => {
  const file = join(folder, `${Math.random()}.json`);
  const root = { openapi: '3.1.0', info: { title: 'Acme' }, paths: { '/things': { post: operation } }, ...more };
  await writeFile(file, JSON.stringify(root));
  return file;
};

const sending = (schema: object) => ({
  operationId: 'add',
  requestBody: { required: true, content: { 'application/json': { schema } } },
});

describe('what is written', () => {
  let files: readonly { readonly name: string; readonly code: string }[];
  beforeAll(async () => {
    const made = [bookings, shop, intercom].map(async (file, index) => ({
      name: `client-${index}.ts`,
      code: `${(await init(file)).code}\n`,
    }));
    files = await Promise.all(made);
  }, 120_000);

  test('compiles as strictly as this project', async () => {
    const problems = await checkSnippets(files.map(({ name, code }) => ({ page: name, line: 1, code })));

    expect(problems).toEqual([]);
  }, 300_000);

  test('is formatted', async () => {
    const config = {
      root: true,
      formatter: { indentStyle: 'space', indentWidth: 2, lineWidth: 100 },
      javascript: { formatter: { quoteStyle: 'single' } },
    };
    await writeFile(join(folder, 'biome.json'), JSON.stringify(config));
    await Promise.all(files.map(({ name, code }) => writeFile(join(folder, name), code)));
    const biome = fileURLToPath(new URL('../../../node_modules/.bin/biome', import.meta.url));

    const format = runCommand(biome, ['format', ...files.map(({ name }) => name)], { cwd: folder, timeoutMs: 60_000 });
    // It fails where it would change something.
    await expect(format).resolves.toContain('No fixes applied');
  }, 120_000);

  test('has every operation of a long description', () => {
    expect(files[2]?.code.match(/^ {4}\w+: \{$/gm)).toHaveLength(231);
    expect(files[2]?.code).toContain("version: { header: { name: 'Intercom-Version', value: '2.16' } },");
  });
});

describe('an operation', () => {
  test('has a name from its id, its path in code, its schemas, and what it can do', async () => {
    const { code } = await init(bookings, '--only', 'Bookings.change');

    expect(code).toContain(`  endpoints: {
    change: {
      method: 'PATCH',
      path: '/bookings/{bookingId}',
      body: bookingChangeInput,
      headers: { 'content-type': 'application/merge-patch+json' },
      returns: booking,
    },
  },`);
  });

  test('gives nothing for one thing that its description says may not be there', async () => {
    const { code } = await init(bookings, '--only', '/bookings/{booking-id}');

    expect(code).toContain('      returns: booking,\n      absentOn404: true,\n');
    expect(code.match(/absentOn404/g)).toHaveLength(1);
  });

  test('without an id is named by method and path', async () => {
    const { code } = await init(bookings, '--only', '/status');

    expect(code).toContain(`    getStatus: {
      method: 'GET',
      path: '/status',
      reads: 'text',
    },`);
  });

  test('with a cursor of one name in query and answer has pages', async () => {
    const { code } = await init(shop, '--only', 'list-orders');

    expect(code).toContain("      next: 'cursor',\n      items: 'orders',");
  });

  test('that may move money asks for a decision and has the safe default', async () => {
    const { code } = await init(bookings, '--only', 'Payments');

    expect(code).toContain("    // Decide: does it move money? Then say effect: 'payment'.\n    payDeposit: {");
    expect(code).toContain("sends: 'form'");
    expect(code).not.toMatch(/^ +effect:/m);
  });

  test.each([
    ['its id', ['--only', 'bookings.get']],
    ['its name', ['--only', 'GET']],
    ['its path', ['--only', '/bookings/{booking-id}', '--only', '/photos']],
  ])('is chosen by %s', async (_by, options) => {
    expect((await init(bookings, ...options)).code).toContain('    get: {');
  });

  test('that cannot be sent is left out, in the code and on the terminal', async () => {
    const { code, notes, exitCode } = await init(bookings, '--only', '/photos', '--only', '/status');

    expect(exitCode).toBe(0);
    expect(code).toContain('// Left out: POST /photos, since its body is neither JSON, nor a form, nor text.');
    expect(notes).toContain('POST /photos is left out, since its body is neither JSON, nor a form, nor text');
    expect(code).not.toContain('postPhotos');
  });
});

describe('a schema', () => {
  test.each<[what: string, schema: object, code: string]>([
    ['a text with limits', { type: 'string', minLength: 2, maxLength: 5 }, 'z.string().min(2).max(5)'],
    ['a pattern', { type: 'string', pattern: '^a/b$' }, String.raw`z.string().regex(/^a\/b$/)`],
    ['exclusive bounds of 3.0', { type: 'number', minimum: 0, exclusiveMinimum: true }, 'z.number().gt(0)'],
    ['exclusive bounds of 3.1', { type: 'number', exclusiveMaximum: 7 }, 'z.number().lt(7)'],
    ['null as a type', { type: ['string', 'null'] }, 'z.string().nullable()'],
    ['nullable', { type: 'integer', nullable: true }, 'z.int().nullable()'],
    ['null as a choice', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'z.string().nullable()'],
    ['null among constants', { enum: ['a', 'b', null] }, "z.enum(['a', 'b']).nullable()"],
    ['constants of several types', { enum: ['a', 1] }, "z.literal(['a', 1])"],
    ['one constant', { const: 'a' }, "z.literal('a')"],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }, 'z.record(z.string(), z.number())'],
    [
      'no more fields',
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      'z.strictObject({ a: z.unknown().optional() })',
    ],
    ['several types', { type: ['string', 'number'] }, 'z.union([z.string(), z.number()])'],
    ['anything', {}, 'z.unknown()'],
  ])('%s', async (_what, schema, code) => {
    const file = await describing(sending({ type: 'object', required: ['it'], properties: { it: schema } }));
    const { code: written } = await init(file);

    expect(written.replaceAll(/\s+/g, ' ')).toContain(`body: z.object({ it: ${code} }),`);
  });

  test('of all parts is one object, without what only the API writes', async () => {
    const { code } = await init(bookings, '--only', 'Bookings.create');

    expect(code).toMatch(/body: z\.object\(\{\n {8}at: [^]*email: z\.email\(\)[^]*contact: contactInput/);
    expect(code).not.toContain('internalId');
  });

  test('of an answer is wider: new constants and other formats are no failure, and absent may be null', async () => {
    const { code } = await init(bookings, '--only', 'Bookings.get');

    expect(code).toContain('export const state = z.string();');
    expect(code).toContain('  at: z.string().nullish(),\n');
    expect(code).toContain('z.union([person.loose(), company.loose()])');
    expect(code).not.toContain('pin:');
  });

  test('that contains itself is left open, with a word about it', async () => {
    const { code, notes } = await init(bookings, '--only', 'searchBookings');

    expect(code).toContain('conditions: z.array(z.unknown()).optional(),');
    expect(code).toContain('// Left out: #/components/schemas/Condition contains itself');
    expect(notes.join('\n')).toContain("conditionInput: `patternProperties` isn't checked");
  });
});

describe('the connection', () => {
  test('has several credentials at once where all are needed', async () => {
    const { code } = await init(bookings);

    expect(code).toContain("    apiKey('X-Gateway-Key', fromEnv('BOOKINGS_GATEWAY')),\n    oauthClientCredentials({");
  });

  test('takes the first of several ways to authenticate, and the version from a header', async () => {
    const { code, notes } = await init(shop);

    expect(code).toContain("  authenticate: apiKey('X-Shop-Key', fromEnv('SHOP_KEY')),");
    expect(code).toContain("  version: { header: { name: 'Shop-Version', value: '2026-01' } },");
    expect(code).toContain("  baseUrl: 'https://api.example.com/api',");
    expect(notes).toContain("the description doesn't say where the API is");
  });

  test('can be one that has to be added by hand', async () => {
    const securitySchemes = { query: { type: 'apiKey', in: 'query', name: 'key' } };
    const file = await describing(sending({}), { components: { securitySchemes }, security: [{ query: [] }] });
    const { code, notes } = await init(file);

    expect(code).toContain('authenticate: combined(),');
    expect(notes).toContain('the credential query (apiKey  query) has to be added by a middleware');
  });

  test('is not named like what is built in', async () => {
    const { code } = await init(await describing(sending({}), { info: { title: 'Billing API' } }));

    expect(code).toContain("export const billingApi = createApiClient({\n  name: 'billingApi',");
  });
});

test('texts of a description never become code', async () => {
  const evil = '*/ evil() /*\n evil() //\u2028 evil() ${evil()} \' " ` \\';
  const schema = { type: 'object', properties: { [evil]: { enum: [evil], description: evil }, __proto__x: {} } };
  const operation = { ...sending(schema), summary: evil, description: evil, tags: [evil] };
  const file = await describing(
    { ...operation, operationId: evil, parameters: [{ in: 'query', name: evil, description: evil, schema }] },
    { info: { title: evil, version: evil }, servers: [{ url: `https://a.example/${evil}` }] },
  );
  const { code } = await init(file);

  const problems = await checkSnippets([{ page: 'evil.ts', line: 1, code }]);
  // `evil` as a name would be unknown.
  expect(problems).toEqual([]);
}, 120_000);

describe('the file', () => {
  test('is written once, and kept after that', async () => {
    const out = join(folder, 'shop.ts');
    const first = await init(shop, '--out', out);
    const second = await init(shop, '--out', out);

    expect(first.notes.at(-1)).toBe(`wrote 4 operations to ${out}`);
    expect(await readFile(out, 'utf8')).toBe(`${(await init(shop)).code}\n`);
    expect(second.exitCode).toBe(2);
    expect(second.notes[0]).toContain('is there already');
  });

  test.each<[what: string, text: string, message: RegExp]>([
    ['Swagger 2.0', '{ "swagger": "2.0" }', /is a Swagger 2\.0 description/],
    ['something else', 'hello', /is no OpenAPI description/],
    ['no version', 'info: {}', /doesn't say openapi: 3\.x/],
    ['broken YAML', 'a: [', /is neither JSON nor YAML/],
    ['several files', 'openapi: 3.1.0\npaths: { $ref: ./paths.yaml }', /points to another file: \.\/paths\.yaml/],
  ])('may not be %s', async (_what, text, message) => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(file, text);
    const { exitCode, notes } = await init(file);

    expect(exitCode).toBe(1);
    expect(notes[0]).toMatch(message);
  });

  test('has to be there, and to have the operations that were asked for', async () => {
    expect(await init(join(folder, 'none.yaml'))).toMatchObject({ exitCode: 2 });
    const { exitCode, notes } = await init(bookings, '--only', 'nothing');
    expect(exitCode).toBe(2);
    expect(notes.join('\n')).toContain('tags are Bookings, Payments');
  });
});
