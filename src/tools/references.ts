import { InvalidArgumentError } from '../errors.ts';

/** Puts what a `$ref` points to in its place. Throws `InvalidArgumentError` when a schema contains itself. */
export const inlineReferences = (schema: object): unknown => {
  const inline = (node: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => inline(item, within));
    if (typeof node !== 'object' || node === null) return node;
    const { $ref: reference, ...rest } = node as Readonly<Record<string, unknown>>;
    const own = mapValues(rest, (value) => inline(value, within));
    if (typeof reference !== 'string') return own;
    if (reference === '#' || within.includes(reference)) {
      throw new InvalidArgumentError('parameters', 'must not contain itself: give it a fixed depth');
    }
    const target = inline(resolve(schema, reference), [...within, reference]);
    return { ...(target as object), ...own };
  };
  const { definitions: _, $defs: __, ...root } = schema as Readonly<Record<string, unknown>>;
  return inline(root, []);
};

const mapValues = (object: object, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/** RFC 6901, within the same document. */
const resolve = (schema: object, reference: string): unknown => {
  const segments = reference.startsWith('#/') ? reference.slice(2).split('/') : ['\0'];
  const target = segments.reduce<unknown>((node, segment) => {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
      ? (node as Readonly<Record<string, unknown>>)[name]
      : undefined;
  }, schema);
  if (typeof target === 'object' && target !== null) return target;
  throw new InvalidArgumentError('parameters', `must not point to another document: ${reference}`);
};
