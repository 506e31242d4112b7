import { asObject, type Description, listIn, objectIn, type Raw, textIn } from './description.ts';
import { camelCase, createNames } from './names.ts';
import type { DescribedOperation } from './operations.ts';
import {
  type Code,
  comment,
  docComment,
  firstSentence,
  type Item,
  objectCode,
  quote,
  withCalls,
} from './print-code.ts';
import type { SchemaCode } from './schema-code.ts';

/** An entry of `endpoints`, and what of the operation it can't express. */
export interface EndpointCode {
  readonly item: Item;
  readonly notes: readonly string[];
}

/** Writes the entry of an operation; `undefined` in `code` where a client can't send it at all. */
export const writeEndpoint = (
  described: DescribedOperation,
  { follow }: Description,
  { schemas, versionHeader }: { readonly schemas: SchemaCode; readonly versionHeader: string | undefined },
): EndpointCode | { readonly refused: string } => {
  const { name, method, operation } = described;
  const notes = new Set<string>();
  const note = (problem: string) => void notes.add(problem);
  if (!sendable.includes(method)) return { refused: `a client doesn't send ${method}` };

  const names = pathNames(described.path);
  if (/[{}]/.test(described.path.replaceAll(placeholder, ''))) return { refused: 'a brace in its path has no other' };
  const body = readBody(described, follow);
  if (body === 'unknown') return { refused: 'its body is neither JSON, nor a form, nor text' };
  if (body && method === 'GET') return { refused: 'a GET has no body' };
  if (body?.sends === 'form') noteForm(body, follow, note);
  const answer = readAnswer(operation, follow, note);
  const taken = [...names.values(), ...(body ? ['body'] : [])];
  const query = writeQuery(described, { schemas, follow, note, taken });
  noteHeaders(described, { versionHeader, note });

  const answers = answer.schemas.map((schema) =>
    schema === nothing ? 'z.undefined()' : schemas.write(schema, 'received', note),
  );
  const page = pageOf(described, answer.schemas, follow);
  const [only] = answers;
  const hasAnswer = answer.schemas.some((schema) => schema !== nothing);
  const code = objectCode(
    {
      method: quote(method),
      path: quote(described.path.replaceAll(placeholder, (all, key: string) => `{${names.get(key) ?? all}}`)),
      query,
      body: body && writeBody(body, schemas, note),
      sends: body && body.sends !== 'json' ? quote(body.sends) : undefined,
      headers: writeHeaders(body?.contentType, answer.accept),
      reads: answer.reads === 'json' ? undefined : quote(answer.reads),
      returns:
        answer.reads !== 'json'
          ? undefined
          : !hasAnswer
            ? '() => undefined'
            : answers.length > 1
              ? union(answers)
              : only,
      absentOn404: isAbsentOn404(described) ? 'true' : undefined,
      next: page && quote(page.cursor),
      items: page && page.items !== 'data' ? quote(page.items) : undefined,
    },
    { isExpanded: true },
  );
  const about = firstSentence(textIn(operation, 'summary') ?? textIn(operation, 'description') ?? '', 100);
  const comments = [
    ...(about === '' ? [] : [docComment(about)]),
    ...(operation['deprecated'] === true ? [comment('Deprecated.')] : []),
    ...[...notes].map((problem) => comment(`Left out: ${problem}.`)),
    ...decisionsFor(described),
  ];
  return { item: { key: name, code, comments }, notes: [...notes] };
};

/** One record by its id, which the description says may not be there. */
const isAbsentOn404 = ({ method, path, operation }: DescribedOperation): boolean =>
  method === 'GET' && path.endsWith('}') && Object.hasOwn(objectIn(operation, 'responses'), '404');

const sendable = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const placeholder = /\{([^{}]*)\}/g;

/** The spelling in code of each name in the braces of a path. */
const pathNames = (path: string): ReadonlyMap<string, string> => {
  const keys = new Set(Array.from(path.matchAll(placeholder), ([, key = '']) => key));
  const names = createNames([...keys].filter(isWord));
  return new Map([...keys].map((key) => [key, isWord(key) ? key : names.take(camelCase(key) || 'id')]));
};

const isWord = (key: string): boolean => /^\w+$/.test(key);

interface Writing {
  readonly schemas: SchemaCode;
  readonly follow: Description['follow'];
  readonly note: (problem: string) => void;
  readonly taken: readonly string[];
}

const writeQuery = (
  { parameters }: DescribedOperation,
  { schemas, follow, note, taken }: Writing,
): Code | undefined => {
  const items: Item[] = [];
  for (const parameter of parameters) {
    if (textIn(parameter, 'in') !== 'query') continue;
    const key = textIn(parameter, 'name') ?? '';
    const schema = parameter['schema'];
    const target = follow(schema);
    const type = [target?.['type']].flat().find((one) => one !== 'null');
    const isObject = type === 'object' || target?.['properties'] !== undefined || parameter['content'] !== undefined;
    if (isObject || taken.includes(key) || key === '__proto__') {
      note(`the query parameter ${key}, ${isObject ? 'an object' : 'whose name another argument has'}`);
      continue;
    }
    const code = schemas.write(schema, 'sent', note);
    const isJoined =
      type === 'array' &&
      (parameter['explode'] === false ||
        ['pipeDelimited', 'spaceDelimited'].includes(textIn(parameter, 'style') ?? ''));
    items.push({ key, code: finishQuery(code, parameter, isJoined) });
  }
  return items.length === 0 ? undefined : { open: 'z.object({', items, close: '})' };
};

const finishQuery = (code: Code, parameter: Raw, isJoined: boolean): Code => {
  const style = textIn(parameter, 'style');
  const separator = style === 'pipeDelimited' ? '|' : style === 'spaceDelimited' ? ' ' : ',';
  const sentence = firstSentence(textIn(parameter, 'description') ?? '');
  const calls = [
    ...(isJoined ? [`.transform((values) => values.join(${quote(separator)}))`] : []),
    ...(sentence === '' ? [] : [`.describe(${quote(sentence)})`]),
    ...(parameter['required'] === true ? [] : ['.optional()']),
  ];
  return calls.length > 0 ? withCalls(code, ...calls) : code;
};

interface Body {
  readonly schema: unknown;
  readonly sends: 'json' | 'form' | 'text';
  readonly contentType: string | undefined;
  readonly isOptional: boolean;
  readonly encoding: Raw;
}

const readBody = ({ operation }: DescribedOperation, follow: Description['follow']): Body | 'unknown' | undefined => {
  const requestBody = follow(operation['requestBody']);
  const types = Object.entries(objectIn(requestBody, 'content'));
  if (types.length === 0) return undefined;
  const isOptional = requestBody?.['required'] !== true;
  for (const [sends, test] of Object.entries({ json: isJson, form: isForm, text: isText })) {
    const found = types.find(([type]) => test(type));
    if (!found) continue;
    const [type, media] = found;
    const usual = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];
    const contentType = usual.includes(plain(type)) || type.includes('*') ? undefined : type;
    // The keys above are the ways to send a body.
    const encoding = objectIn(asObject(media), 'encoding');
    return {
      schema: asObject(media)?.['schema'] ?? {},
      sends: sends as Body['sends'],
      contentType,
      isOptional,
      encoding,
    };
  }
  return 'unknown';
};

const writeBody = ({ schema, sends, isOptional }: Body, schemas: SchemaCode, note: (problem: string) => void): Code => {
  const code = sends === 'text' ? 'z.string()' : schemas.write(schema, 'sent', note);
  if (code === 'z.unknown()') return isOptional ? 'z.looseObject({}).optional()' : 'z.looseObject({})';
  return isOptional ? withCalls(code, '.optional()') : code;
};

/** In a form, a list repeats its name, and an object has no place. */
const noteForm = ({ schema, encoding }: Body, follow: Description['follow'], note: (problem: string) => void): void => {
  for (const [key, property] of Object.entries(objectIn(follow(schema), 'properties'))) {
    const isObject = follow(property)?.['properties'] !== undefined || follow(property)?.['type'] === 'object';
    const isJoined = asObject(encoding[key])?.['explode'] === false;
    if (isObject || isJoined) note(`how the form field ${key} is written: a client refuses objects, and repeats lists`);
  }
};

const plain = (type: string) => (type.split(';')[0] ?? '').trim().toLowerCase();
const isJson = (type: string) => /^application\/(?:[\w.+-]+\+)?json$|^\*\/\*$/.test(plain(type));
const isForm = (type: string) => plain(type) === 'application/x-www-form-urlencoded';
const isText = (type: string) => plain(type).startsWith('text/') || /[/+]xml$/.test(plain(type));

/** Marks an answer without a body. */
const nothing = Symbol('nothing');

interface Answer {
  readonly reads: 'json' | 'text' | 'bytes';
  readonly schemas: readonly unknown[];
  readonly accept: string | undefined;
}

/** Returns the schema of the successful answers. */
const readAnswer = (operation: Raw, follow: Description['follow'], note: (problem: string) => void): Answer => {
  const responses = Object.entries(objectIn(operation, 'responses'));
  const successes = responses.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status));
  const chosen = (successes.length > 0 ? successes : responses.filter(([status]) => status === 'default')).map(
    ([, response]) => Object.entries(objectIn(follow(response), 'content')),
  );
  const types = chosen.flatMap((content) => content.map(([type]) => type));
  const json = types.find(isJson);
  if (json !== undefined || types.length === 0) {
    const schemas = chosen.map((content) => {
      const found = content.find(([type]) => isJson(type));
      return found ? (asObject(found[1])?.['schema'] ?? {}) : nothing;
    });
    const different = schemas.filter((schema, index) => schemas.findIndex((one) => same(one, schema)) === index);
    const accept = json === undefined || ['application/json', '*/*'].includes(plain(json)) ? undefined : json;
    return { reads: 'json', schemas: different, accept };
  }
  const [first = ''] = types;
  if (new Set(types.map(plain)).size > 1) note(`answers other than ${first}`);
  return { reads: isText(first) ? 'text' : 'bytes', schemas: [], accept: undefined };
};

const same = (first: unknown, second: unknown): boolean =>
  first === second ||
  (typeof first === 'object' && typeof second === 'object' && JSON.stringify(first) === JSON.stringify(second));

const writeHeaders = (contentType: string | undefined, accept: string | undefined): Code | undefined =>
  contentType === undefined && accept === undefined
    ? undefined
    : objectCode({
        'content-type': contentType === undefined ? undefined : quote(contentType),
        accept: accept === undefined ? undefined : quote(accept),
      });

const union = (codes: readonly Code[]): Code => ({
  open: 'z.union([',
  items: codes.map((code) => ({ code })),
  close: '])',
});

/** Pages by a cursor that has one name in the query and in the answer. */
const pageOf = (
  { parameters, method }: DescribedOperation,
  answers: readonly unknown[],
  follow: Description['follow'],
) => {
  const properties = objectIn(follow(answers[0]), 'properties');
  const lists = Object.entries(properties).filter(([, property]) => follow(property)?.['type'] === 'array');
  const cursor = parameters.find(
    (parameter) =>
      textIn(parameter, 'in') === 'query' &&
      /cursor|token|after/i.test(textIn(parameter, 'name') ?? '') &&
      Object.hasOwn(properties, textIn(parameter, 'name') ?? ''),
  );
  const [[items] = []] = lists;
  if (method !== 'GET' || answers.length !== 1 || lists.length !== 1 || !cursor || items === undefined)
    return undefined;
  return { cursor: textIn(cursor, 'name') ?? '', items };
};

const noteHeaders = (
  { parameters }: DescribedOperation,
  { versionHeader, note }: { readonly versionHeader: string | undefined; readonly note: (problem: string) => void },
): void => {
  for (const parameter of parameters) {
    const place = textIn(parameter, 'in');
    const key = textIn(parameter, 'name') ?? '';
    if (place === 'cookie') note(`the cookie ${key}`);
    if (place !== 'header' || key.toLowerCase() === versionHeader?.toLowerCase()) continue;
    if (/^(?:accept|content-type|authorization|idempotency-key)$/i.test(key)) continue;
    note(`the header ${key}: give it with a call, as in { headers: { ${quote(key)}: … } }`);
  }
};

/** The parts that need a person who knows the API. */
const decisionsFor = ({ method, path, operation, name }: DescribedOperation): readonly string[] => {
  if (method === 'GET') return [];
  const said = `${name} ${path} ${listIn(operation, 'tags').slice(0, 20).join(' ')}`.slice(0, 1_000);
  if (/pay|charge|refund|transfer|capture|invoice.*settle/i.test(said))
    return [comment("Decide: does it move money? Then say effect: 'payment'.")];
  if (/search|query|find|look_?up|list|count/i.test(name))
    return [comment("Decide: does it only read? Then say effect: 'read', and it's retried.")];
  return method === 'PUT' ? [comment("Decide: may it be sent twice? Then say repeat: 'again', and it's retried.")] : [];
};
