import { writeCredential } from './credential-code.ts';
import { asObject, type Description, listIn, objectIn, textIn } from './description.ts';
import { writeEndpoint } from './endpoint-code.ts';
import { builtInNames } from '../../../api/create-api-client.ts';
import { camelCase, createNames, reservedWords } from './names.ts';
import type { DescribedOperation } from './operations.ts';
import { comment, docComment, firstSentence, type Item, objectCode, printCode, quote } from './print-code.ts';
import { createSchemaCode } from './schema-code.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

/** A file with a client, and what of the description it can't express. */
export interface ClientCode {
  readonly code: string;
  readonly notes: readonly string[];
  readonly endpoints: number;
}

/** Writes a client of these operations as code. `file` is only named in it. */
export const writeClient = (
  description: Description,
  operations: readonly DescribedOperation[],
  file: string,
): ClientCode => {
  const { root } = description;
  const info = objectIn(root, 'info');
  const title = textIn(info, 'title') ?? 'API';
  const helpers = ['createApiClient', 'z', 'apiKey', 'bearer', 'combined', 'fromEnv', 'oauthClientCredentials'];
  const names = createNames([...reservedWords, ...helpers]);
  const name = clientNameOf(description);
  const constant = names.take(name);
  const schemas = createSchemaCode(description, names);
  const version = versionOf(operations, description);
  const notes: string[] = [];
  const leftOut: string[] = [];
  const items: Item[] = [];

  for (const operation of operations) {
    const written = writeEndpoint(operation, description, { schemas, versionHeader: version?.name });
    const where = `${operation.method} ${operation.path}`;
    if ('refused' in written) {
      leftOut.push(comment(`Left out: ${where}, since ${written.refused}.`));
      notes.push(`${where} is left out, since ${written.refused}`);
      continue;
    }
    items.push(written.item);
    for (const problem of written.notes) notes.push(`${operation.name}: left out: ${problem}`);
  }

  const credential = writeCredential(description, name);
  const base = baseUrlOf(description);
  notes.push(...credential.notes, ...(base.note === undefined ? [] : [base.note]));
  const client = printCode(
    {
      open: 'createApiClient({',
      close: '});',
      isExpanded: true,
      items: [
        { key: 'name', code: quote(name) },
        {
          key: 'baseUrl',
          code: quote(base.url),
          comments: base.note === undefined ? [] : [comment(`Decide: ${base.note}.`)],
        },
        { key: 'version', code: version ? versionCode(version) : "'in-base-url'" },
        {
          key: 'authenticate',
          code: credential.code,
          comments: credential.notes.map((note) => comment(`Decide: ${note}.`)),
        },
        {
          key: 'endpoints',
          code: { ...objectCode({}), items, isExpanded: items.length > 0 },
          comments: [
            comment(
              "Decide: if the API does a write once per Idempotency-Key, say idempotency: 'key', and writes are retried.",
            ),
            ...leftOut,
          ],
        },
      ],
    },
    { prefix: `export const ${constant} = ` },
  );
  const constants = schemas.constants().map(({ name: own, code, about, notes: problems }) => {
    for (const problem of problems) notes.push(`${own}: ${problem}`);
    const lines = [
      ...(about === undefined || firstSentence(about) === '' ? [] : [docComment(firstSentence(about, 100))]),
      ...problems.map((problem) => comment(`Left out: ${problem}.`)),
      `${printCode(code, { prefix: `export const ${own} = ` })};`,
    ];
    return lines.join('\n');
  });
  const header = [
    '/**',
    ` * A client of ${docText(title)} ${docText(textIn(info, 'version') ?? '')}`.trimEnd() +
      ', made from its description.',
    ` * \`npx voice-agent-integrations init api ${docText(file)}\` wrote it once: it's yours to change.`,
    ' */',
  ];
  const imports = [
    "import { createApiClient } from 'voice-agent-integrations';",
    `import { ${[...new Set(credential.imports)].toSorted().join(', ')} } from 'voice-agent-integrations/auth';`,
  ];
  const body = [...constants, client].join('\n\n');
  const zod = /\bz\.\w+\(/.test(body) ? ["import * as z from 'zod';"] : [];
  const text = [[...header, ...imports, ...zod].join('\n'), body].join('\n\n');
  return { code: `${text}\n`, notes: [...new Set(notes)], endpoints: items.length };
};

const docText = (text: string) => firstSentence(text, 100).replaceAll('*/', '*\\/');

/** `Acme Orders API` is `acmeOrders`. The names of what's built in are taken. */
export const clientNameOf = ({ root }: Description): string => {
  const title = textIn(objectIn(root, 'info'), 'title') ?? '';
  const words = title.replaceAll(/\b(?:the|(?:rest|open|public|http|v\d+)?\s*api)\b/gi, ' ');
  const name = camelCase(words).replace(/^_+\d*/, '');
  if (name === '') return 'api';
  return builtInNames.includes(name) ? `${name}Api` : name;
};

interface VersionHeader {
  readonly name: string;
  readonly value: string;
}

/** A header of most operations that pins the version. */
const versionOf = (operations: readonly DescribedOperation[], { follow }: Description): VersionHeader | undefined => {
  const found = operations.flatMap(({ parameters }) =>
    parameters.filter((one) => textIn(one, 'in') === 'header' && /version/i.test(textIn(one, 'name') ?? '')),
  );
  const [first] = found;
  const name = textIn(first, 'name');
  if (name === undefined || found.length < operations.length / 2) return undefined;
  const schema = follow(first?.['schema']);
  const value = [
    schema?.['default'],
    schema?.['const'],
    schema?.['example'],
    first?.['example'],
    listIn(schema, 'enum').at(-1),
  ].find((one) => typeof one === 'string' || typeof one === 'number');
  return value === undefined ? undefined : { name, value: String(value) };
};

const versionCode = ({ name, value }: VersionHeader) =>
  objectCode({ header: objectCode({ name: quote(name), value: quote(value) }) });

const longestUrl = 2_000;

/** The first server, with the defaults of its variables. */
const baseUrlOf = ({ root }: Description): { readonly url: string; readonly note?: string } => {
  const server = asObject(listIn(root, 'servers')[0]);
  const variables = objectIn(server, 'variables');
  const stated = textIn(server, 'url') ?? '';
  const given = stated.length > longestUrl ? '' : stated;
  const url = given.replaceAll(/\{([^{}]*)\}/g, (_all, key: string) => {
    const usual = asObject(variables[key])?.['default'];
    // A port is often written as a number.
    return typeof usual === 'string' || typeof usual === 'number' ? `${usual}` : key;
  });
  if (/^https:\/\/[^/?#@]+[^?#@]*$/.test(url) && URL.canParse(url)) {
    const hasVariables = Object.keys(variables).length > 0;
    const note = hasVariables ? 'the address of the server has variables, and these are their defaults' : undefined;
    return withoutUndefined({ url, note });
  }
  const path = url.startsWith('/') ? url.replace(/\/$/, '') : '';
  return { url: `https://api.example.com${path}`, note: "the description doesn't say where the API is" };
};
