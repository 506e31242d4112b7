import { asObject, type Description, listIn, objectIn, type Raw, textIn } from './description.ts';
import { type Direction, limitsOf, type Place, writeNumber, writeText } from './limits-code.ts';
import { camelCase, type Names } from './names.ts';
import { type Code, firstSentence, type Item, quote, withCalls } from './print-code.ts';

/** Writes zod code for the schemas of a description. */
export interface SchemaCode {
  /** The code of one schema. What it can't express goes to `note`. */
  readonly write: (schema: unknown, direction: Direction, note: (problem: string) => void) => Code;
  /** The constants that the code written so far refers to, each after those that it needs itself. */
  readonly constants: () => readonly Constant[];
}

/** A schema with a name of its own. */
export interface Constant {
  readonly name: string;
  readonly code: Code;
  readonly about: string | undefined;
  readonly notes: readonly string[];
}

export const createSchemaCode = ({ follow }: Description, names: Names): SchemaCode => {
  const constants = new Map<string, Constant>();
  const known = new Map<string, { readonly name: string | undefined }>();
  /** The number of constants being written, each for the one before. */
  let depth = 0;

  /** The name of the constant for what a `$ref` points to; `undefined` while that constant is being written. */
  const constantFor = (reference: string, schema: Raw, { direction }: Place): string | undefined => {
    const key = `${direction} ${reference}`;
    const before = known.get(key);
    if (before) return before.name;
    if (depth === deepest) return undefined;
    known.set(key, { name: undefined });
    depth += 1;
    const notes = new Set<string>();
    const code = writeWhole(schema, { direction, note: (problem) => void notes.add(problem) });
    depth -= 1;
    const last = reference.split('/').at(-1) ?? '';
    const name = names.take(`${camelCase(last) || 'schema'}${direction === 'sent' ? 'Input' : ''}`);
    known.set(key, { name });
    const about = textIn(schema, 'description') ?? textIn(schema, 'title');
    constants.set(name, { name, code, about, notes: [...notes] });
    return name;
  };

  const write = (schema: unknown, place: Place): Code => {
    const code = writeWithoutNull(schema, place);
    return isNullable(asObject(schema)) || isNullable(follow(schema)) ? orNull(code) : code;
  };

  /** A constant is never `null` itself: where it's used says so. */
  const writeWithoutNull = (schema: unknown, place: Place): Code => {
    const reference = textIn(asObject(schema), '$ref');
    if (reference === undefined) return writeWhole(asObject(schema), place);
    const target = follow({ $ref: reference });
    if (!target) {
      place.note(`${reference} leads nowhere`);
      return anything;
    }
    const name = constantFor(reference, target, place);
    if (name !== undefined) return name;
    const why = depth === deepest ? 'is reached over too many others' : 'contains itself';
    place.note(`${reference} ${why}, and anything is accepted there`);
    return anything;
  };

  const isNullable = (schema: Raw | undefined): boolean =>
    schema !== undefined &&
    (schema['nullable'] === true ||
      typesOf(schema).includes('null') ||
      listIn(schema, 'enum').includes(null) ||
      [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')].some((choice) => isNull(follow(choice))));

  const writeWhole = (schema: Raw | undefined, place: Place): Code => {
    if (!schema) return anything;
    for (const keyword of unexpressed) if (keyword in schema) place.note(`\`${keyword}\` isn't checked`);
    const types = typesOf(schema).filter((type) => type !== 'null');
    return writeValue(schema, isNull(schema) ? ['null'] : types, place);
  };

  const writeValue = (schema: Raw, types: readonly string[], place: Place): Code => {
    if ('const' in schema) return literal([schema['const']], place);
    const values = listIn(schema, 'enum').filter((value) => value !== null);
    if (values.length > 0 && values.length < 100) return writeEnum(values, types, place);
    const choices = [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')];
    const all = listIn(schema, 'allOf');
    if (all.length > 0 || (choices.length > 0 && 'properties' in schema)) return writeAll(schema, all, choices, place);
    if (choices.length > 0) return writeChoice(choices, place);
    if (types.length > 1)
      return block(
        'z.union([',
        types.map((type) => writeType(schema, type, place)),
        '])',
      );
    return writeType(schema, types[0], place);
  };

  const writeType = (schema: Raw, type: string | undefined, place: Place): Code => {
    switch (type) {
      case 'string':
        return writeText(schema, place);
      case 'integer':
        return writeNumber(schema, place.direction === 'sent' ? 'z.int()' : 'z.number()', place);
      case 'number':
        return writeNumber(schema, 'z.number()', place);
      case 'boolean':
        return 'z.boolean()';
      case 'null':
        return 'z.null()';
      case 'array': {
        const limits = limitsOf(schema, place, { minItems: 'min', maxItems: 'max' });
        const list = block('z.array(', [write(schema['items'] ?? {}, place)], ')');
        return limits.length > 0 ? withCalls(list, ...limits) : list;
      }
      case 'object':
        return writeObject(schema, place);
      case undefined:
        return anything;
      default:
        place.note(`the type ${type} isn't known`);
        return anything;
    }
  };

  const writeObject = (schema: Raw, place: Place, loose = false): Code => {
    const more = schema['additionalProperties'];
    const required = listIn(schema, 'required');
    const left = place.direction === 'sent' ? 'readOnly' : 'writeOnly';
    const properties = Object.entries(objectIn(schema, 'properties')).filter(
      ([name, property]) => follow(property)?.[left] !== true && name !== '__proto__',
    );
    if (properties.length === 0 && !loose)
      return block('z.record(', ['z.string()', asObject(more) ? write(more, place) : anything], ')');
    const items: Item[] = properties.map(([key, property]) => {
      const code = write(property, place);
      const described = place.direction === 'sent' ? withDescription(code, follow(property)) : code;
      return { key, code: required.includes(key) ? described : absent(described, place) };
    });
    const kind =
      loose || isOpen(schema)
        ? 'looseObject'
        : more === false && place.direction === 'sent'
          ? 'strictObject'
          : 'object';
    return { open: `z.${kind}({`, items, close: '})', isExpanded: items.length > 2 };
  };

  /** One object of all parts where they are objects; else each of them has to fit. */
  const writeAll = (schema: Raw, all: readonly unknown[], choices: readonly unknown[], place: Place): Code => {
    const { allOf: _, oneOf: __, anyOf: ___, description: ____, nullable: _____, ...own } = schema;
    const isObject = 'properties' in own || 'required' in own;
    const parts = [...all, ...(isObject ? [{ type: 'object', ...own }] : [])];
    if (parts.length === 1 && choices.length === 0) return write(parts[0], place);
    if (parts.length > mostParts) {
      place.note(`an allOf of ${parts.length} parts isn't checked`);
      return anything;
    }
    const budget = { left: mostFlattened };
    const wholes = parts.map((part) => flattened(follow(part), budget));
    const objects = wholes.filter((whole) => whole !== undefined);
    const others = parts.filter((_part, index) => wholes[index] === undefined).map((part) => write(part, place));
    const isOneObject = others.length === 0 && choices.length === 0;
    const codes = [
      ...(objects.length > 0 ? [writeObject(merge(objects), place, !isOneObject)] : []),
      ...others,
      ...(choices.length > 0 ? [writeChoice(choices, place)] : []),
    ];
    return codes.reduce((first, second) => block('z.intersection(', [first, second], ')'));
  };

  /** An object without choices and references, as far as `allOf` leads to one. */
  const flattened = (schema: Raw | undefined, budget: { left: number }, level = 0): Raw | undefined => {
    budget.left -= 1;
    if (
      !schema ||
      level > 10 ||
      budget.left < 0 ||
      'oneOf' in schema ||
      'anyOf' in schema ||
      schema['nullable'] === true
    )
      return undefined;
    const parts = listIn(schema, 'allOf').map((part) => flattened(follow(part), budget, level + 1));
    if (parts.includes(undefined)) return undefined;
    if (parts.length === 0 && !('properties' in schema) && !('required' in schema)) return undefined;
    return merge([...parts, schema]);
  };

  /**
   * The first that fits counts, so an object must not lose the fields that only a later one has. One without more fields
   * loses none.
   */
  const writeChoice = (choices: readonly unknown[], place: Place): Code => {
    const real = choices.filter((choice) => !isNull(follow(choice)));
    const codes = real.map((choice) => {
      const target = follow(choice);
      const isObject =
        target && 'properties' in target && !['allOf', 'oneOf', 'anyOf', 'nullable'].some((word) => word in target);
      const isStrict = place.direction === 'sent' && target?.['additionalProperties'] === false;
      if (!isObject || isStrict || real.length === 1 || typesOf(target).length > 1) return write(choice, place);
      const code = write(choice, place);
      if (typeof code !== 'string') return writeObject(target, place, true);
      return isObjectCode(constants.get(code)?.code) ? `${code}.loose()` : code;
    });
    const [only = anything] = codes;
    return codes.length > 1 ? block('z.union([', codes, '])') : only;
  };

  const writeEnum = (values: readonly unknown[], types: readonly string[], place: Place): Code => {
    // An API may add values, and an answer with a new one is still good.
    const kinds = [...new Set(types.length > 0 ? types : values.map((value) => typeof value))];
    if (place.direction === 'received' && !kinds.includes('object')) {
      const codes = kinds.map((kind) => writeType({}, kind, place));
      const [only = anything] = codes;
      return codes.length > 1 ? block('z.union([', codes, '])') : only;
    }
    return values.length > 1 && values.every((value) => typeof value === 'string')
      ? block('z.enum([', values.map(quote), '])')
      : literal(values, place);
  };

  const literal = (values: readonly unknown[], { note }: Place): Code => {
    const codes = values.map((value) => (typeof value === 'string' ? quote(value) : JSON.stringify(value)));
    if (values.some((value) => typeof value === 'object' && value !== null)) {
      note('a constant that is an object or a list is not checked');
      return anything;
    }
    return codes.length === 1 ? `z.literal(${codes[0]})` : block('z.literal([', codes, '])');
  };

  return {
    write: (schema, direction, note) =>
      // Neither a query nor a body is `null`.
      direction === 'sent' ? writeWithoutNull(schema, { direction, note }) : write(schema, { direction, note }),
    constants: () => [...constants.values()],
  };
};

const anything = 'z.unknown()';

/** More constants that need one another would be too much for the stack. */
const deepest = 200;

/** The most parts of an `allOf`: each is a level of the code. */
const mostParts = 100;

/** The parts of the parts of an `allOf`, which may grow tenfold with each level. */
const mostFlattened = 1_000;

/** The keywords that zod has no words for. */
const unexpressed = [
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'prefixItems',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
  'minProperties',
  'maxProperties',
  'uniqueItems',
];

const typesOf = (schema: Raw): readonly string[] => {
  const type = schema['type'];
  const types = [type].flat().filter((name) => typeof name === 'string');
  if (types.length > 0) return types;
  if ('properties' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema ? ['array'] : [];
};

const isNull = (schema: Raw | undefined): boolean => schema !== undefined && typesOf(schema).join() === 'null';

/** One object with the fields of all. */
const merge = (objects: readonly (Raw | undefined)[]): Raw => ({
  type: 'object',
  required: objects.flatMap((one) => listIn(one, 'required')),
  properties: Object.assign({}, ...objects.map((one) => objectIn(one, 'properties'))),
  additionalProperties: objects.some(isOpen) || undefined,
});

/** Returns true if an object has more fields than the named ones. */
const isOpen = (schema: Raw | undefined): boolean =>
  schema?.['additionalProperties'] === true || asObject(schema?.['additionalProperties']) !== undefined;

/** Code that has `loose()`. */
const isObjectCode = (code: Code | undefined): boolean =>
  typeof code === 'object' && 'open' in code && /^z\.(?:strictO|looseO|o)bject\(/.test(code.open);

const block = (open: string, codes: readonly Code[], close: string) => ({
  open,
  items: codes.map((code) => ({ code })),
  close,
});

/** A field that may be left out. An API that leaves it out may as well send `null`. */
const absent = (code: Code, { direction }: Place): Code => {
  if (direction === 'received') return code === anything ? withCall(code, 'optional') : nullish(code);
  return withCall(code, 'optional');
};

const orNull = (code: Code): Code => (code === anything || code === 'z.null()' ? code : withCall(code, 'nullable'));

const nullish = (code: Code): Code => withCall(code, 'nullish');

const withCall = (code: Code, name: 'optional' | 'nullable' | 'nullish'): Code => {
  const isNullable = typeof code === 'object' && 'head' in code && code.calls.at(-1) === '.nullable()';
  // What may be absent or null has one word.
  return isNullable && name !== 'nullable'
    ? { head: code.head, calls: [...code.calls.slice(0, -1), '.nullish()'] }
    : withCalls(code, `.${name}()`);
};

const withDescription = (code: Code, schema: Raw | undefined): Code => {
  const text = firstSentence(textIn(schema, 'description') ?? '');
  if (text === '' || code === anything) return code;
  return withCalls(code, `.describe(${quote(text)})`);
};
