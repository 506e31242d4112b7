/** The JSON Schema of a zod 3 schema, which can't say it itself. Its definitions are the only interface that it has. */
import { withoutUndefined } from '../core/without-undefined.ts';

/** The parts of a schema of zod 3 that are used. */
export interface Zod3Schema {
  readonly _def: {
    readonly typeName: string;
    readonly description?: string | undefined;
    readonly [part: string]: unknown;
  };
  safeParseAsync(value: unknown): Promise<unknown>;
}

export const isZod3Schema = (schema: object): schema is Zod3Schema => {
  const { _def } = schema as Partial<Zod3Schema>;
  return typeof _def?.typeName === 'string' && 'safeParseAsync' in schema;
};

/** Returns what a model may be shown. A kind that JSON Schema hasn't is any value: the schema itself checks it. */
export const jsonSchemaOfZod3 = (schema: Zod3Schema): object => {
  const { description, typeName } = schema._def;
  return withoutUndefined({ ...kinds[typeName]?.(schema._def), description });
};

type Definition = Zod3Schema['_def'];

/** Each part is one by the kind of its definition. */
const inner = (part: unknown): object => jsonSchemaOfZod3(part as Zod3Schema);
const each = (parts: unknown): object[] => Object.values(parts as Record<string, unknown>).map(inner);

const limitsOf = ({ checks }: Definition, names: Readonly<Record<string, string>>): object => {
  const found = (
    checks as readonly { readonly kind: string; readonly value?: unknown; readonly inclusive?: boolean }[]
  ).map(({ kind, value, inclusive }) => [names[inclusive === false ? `exclusive ${kind}` : kind], value] as const);
  return Object.fromEntries(found.filter(([name]) => name !== undefined));
};

const through = (part: string) => (definition: Definition) => inner(definition[part]);

const kinds: Readonly<Record<string, (definition: Definition) => object>> = {
  ZodObject: ({ shape }) => {
    const fields = Object.entries((shape as () => Record<string, Zod3Schema>)());
    const required = fields.filter(([, field]) => !mayBeAbsent(field)).map(([name]) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, field]) => [name, inner(field)])),
      required,
    };
  },
  ZodString: (definition) => ({ type: 'string', ...limitsOf(definition, { min: 'minLength', max: 'maxLength' }) }),
  ZodNumber: (definition) => {
    const isWhole = (definition['checks'] as readonly { readonly kind: string }[]).some(({ kind }) => kind === 'int');
    const names = {
      min: 'minimum',
      max: 'maximum',
      'exclusive min': 'exclusiveMinimum',
      'exclusive max': 'exclusiveMaximum',
    };
    return { type: isWhole ? 'integer' : 'number', ...limitsOf(definition, names) };
  },
  ZodBoolean: () => ({ type: 'boolean' }),
  ZodEnum: ({ values }) => ({ type: 'string', enum: values }),
  ZodNativeEnum: ({ values }) => ({ enum: namesAndNumbers(values as object) }),
  ZodLiteral: ({ value }) => ({ enum: [value], type: typeof value }),
  ZodArray: ({ type, minLength, maxLength }) => ({
    type: 'array',
    items: inner(type),
    minItems: limitIn(minLength),
    maxItems: limitIn(maxLength),
  }),
  ZodRecord: ({ valueType }) => ({ type: 'object', additionalProperties: inner(valueType) }),
  ZodUnion: ({ options }) => ({ anyOf: each(options) }),
  ZodDiscriminatedUnion: ({ options }) => ({ anyOf: each(options) }),
  ZodIntersection: ({ left, right }) => ({ allOf: [inner(left), inner(right)] }),
  ZodNullable: ({ innerType }) => ({ anyOf: [inner(innerType), { type: 'null' }] }),
  ZodDefault: ({ innerType, defaultValue }) => ({ ...inner(innerType), default: (defaultValue as () => unknown)() }),
  ZodOptional: through('innerType'),
  ZodCatch: through('innerType'),
  ZodReadonly: through('innerType'),
  ZodBranded: through('type'),
  ZodEffects: through('schema'),
  ZodPipeline: through('in'),
};

const limitIn = (limit: unknown): unknown => (limit as { readonly value: unknown } | null)?.value;

/** An enum of numbers lists its names too. */
const namesAndNumbers = (values: object): readonly unknown[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof Reflect.get(values, String(value)) === 'number' && !Number.isNaN(Number(name)) ? [] : [value],
  );

const mayBeAbsent = ({ _def: { typeName, innerType, schema } }: Zod3Schema): boolean => {
  if (typeName === 'ZodOptional' || typeName === 'ZodDefault' || typeName === 'ZodCatch') return true;
  const next =
    typeName === 'ZodEffects'
      ? schema
      : typeName === 'ZodNullable' || typeName === 'ZodReadonly'
        ? innerType
        : undefined;
  return next !== undefined && mayBeAbsent(next as Zod3Schema);
};
