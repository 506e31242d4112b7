import { asObject, type Description, listIn, objectIn, type Raw, textIn } from './description.ts';
import { writeEndpoint } from './endpoint-code.ts';
import { builtInNames } from '../../../api/create-api-client.ts';
import { camelCase, constantCase, createNames, reservedWords } from './names.ts';
import type { DescribedOperation } from './operations.ts';
import {
  type Code,
  comment,
  docComment,
  firstSentence,
  type Item,
  objectCode,
  printCode,
  quote,
} from './print-code.ts';
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

/** The authentication of a client as code, and the helpers that it needs. */
interface CredentialCode {
  readonly code: Code;
  /** The imports of `voice-agent-integrations/auth`. */
  readonly imports: readonly string[];
  readonly notes: readonly string[];
}

/** The first way to authenticate that the description allows and this package has. */
const writeCredential = ({ root, follow }: Description, name: string): CredentialCode => {
  const schemes = objectIn(objectIn(root, 'components'), 'securitySchemes');
  const declared = listIn(root, 'security').map((one) => Object.keys(Object(one)));
  // Where only the operations say it, the first of them speaks for all.
  const ofOperations = Object.values(objectIn(root, 'paths')).flatMap((path) =>
    Object.values(Object(path)).flatMap((operation) =>
      listIn(operation as Raw, 'security').map((one) => Object.keys(Object(one))),
    ),
  );
  const ways = declared.length > 0 ? declared : ofOperations;
  const used = ways.find((way) => way.length > 0) ?? [];
  if (used.length === 0) return { code: 'combined()', imports: ['combined'], notes: [] };
  const written = ways.map((way) => way.map((scheme) => writeScheme(follow(schemes[scheme]), name, scheme)));
  const chosen = written.find((way) => way.length > 0 && way.every(({ code }) => code !== undefined));
  if (!chosen) {
    const notes = (written.find((way) => way.length > 0) ?? []).flatMap(({ note }) =>
      note === undefined ? [] : [note],
    );
    return { code: 'combined()', imports: ['combined'], notes };
  }
  const codes = chosen.flatMap(({ code }) => (code === undefined ? [] : [code]));
  const [only = 'combined()'] = codes;
  const isAlone = codes.length === 1;
  return {
    code: isAlone ? only : { open: 'combined(', items: codes.map((code) => ({ code })), close: ')' },
    imports: [...(isAlone ? [] : ['combined']), ...chosen.flatMap(({ imports }) => imports)],
    notes: chosen.flatMap(({ note }) => (note === undefined ? [] : [note])),
  };
};

interface SchemeCode {
  readonly code: Code | undefined;
  readonly imports: readonly string[];
  readonly note?: string | undefined;
}

const writeScheme = (scheme: Raw | undefined, name: string, key: string): SchemeCode => {
  const variable = (what: string) => `fromEnv(${quote(`${constantCase(name)}_${what}`)})`;
  const flows = objectIn(scheme, 'flows');
  const kind = [textIn(scheme, 'type'), textIn(scheme, 'scheme')?.toLowerCase(), textIn(scheme, 'in')].join(' ').trim();
  switch (true) {
    case kind.startsWith('http bearer'):
      return { code: `bearer(${variable('TOKEN')})`, imports: ['bearer', 'fromEnv'] };
    case kind.startsWith('http basic'):
      return {
        code: `apiKey('Authorization', () => \`Basic \${btoa(${variable('USER_AND_PASSWORD')}())}\`)`,
        imports: ['apiKey', 'fromEnv'],
        note: `${constantCase(name)}_USER_AND_PASSWORD holds user:password`,
      };
    case kind === 'apiKey  header': {
      const header = textIn(scheme, 'name') ?? 'X-Api-Key';
      const what = constantCase(camelCase(key)) || 'KEY';
      return { code: `apiKey(${quote(header)}, ${variable(what)})`, imports: ['apiKey', 'fromEnv'] };
    }
    case flows['clientCredentials'] !== undefined: {
      const given = textIn(objectIn(flows, 'clientCredentials'), 'tokenUrl') ?? '';
      const isUsable = /^https:/i.test(given) && URL.canParse(given);
      return {
        code: objectCode(
          {
            tokenEndpoint: quote(isUsable ? given : 'https://login.example.com/token'),
            clientId: variable('CLIENT_ID'),
            clientSecret: variable('CLIENT_SECRET'),
          },
          { open: 'oauthClientCredentials({', close: '})', isExpanded: true },
        ),
        imports: ['fromEnv', 'oauthClientCredentials'],
        note: isUsable ? undefined : "the description doesn't say where tokens come from",
      };
    }
    case kind === 'oauth2' || kind === 'openIdConnect':
      return {
        code: `bearer(${variable('TOKEN')})`,
        imports: ['bearer', 'fromEnv'],
        note: 'the token comes from the consent of a user: authorizationCode and oauthRefreshToken renew it',
      };
    default:
      return { code: undefined, imports: [], note: `the credential ${key} (${kind}) has to be added by a middleware` };
  }
};
