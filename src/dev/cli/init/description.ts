/** The parts of an OpenAPI description that are read here. None of it is checked before: every field may be anything. */
export type Raw = Readonly<Record<string, unknown>>;

/** Looks up what a description points to. */
export interface Description {
  readonly root: Raw;
  /** The object itself, or the one that its `$ref` leads to; `undefined` where there is none. */
  readonly follow: (node: unknown) => Raw | undefined;
}

/** A field that is an object; an empty one for anything else. */
export const objectIn = (node: Raw | undefined, name: string): Raw => asObject(node?.[name]) ?? {};

/** A field that is a list; an empty one for anything else. */
export const listIn = (node: Raw | undefined, name: string): readonly unknown[] => {
  const value = node?.[name];
  return Array.isArray(value) ? value : [];
};

/** A field that is a text. */
export const textIn = (node: Raw | undefined, name: string): string | undefined => {
  const value = node?.[name];
  return typeof value === 'string' ? value : undefined;
};

export const asObject = (value: unknown): Raw | undefined =>
  // What is no list and not null is an object of named fields.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : undefined;

export const describeRoot = (root: Raw): Description => {
  const follow = (node: unknown, steps = 0): Raw | undefined => {
    const object = asObject(node);
    const reference = textIn(object, '$ref');
    if (!object || reference === undefined) return object;
    if (steps === mostSteps) return undefined;
    const target = follow(pointTo(root, reference), steps + 1);
    if (!target || Object.keys(object).length === 1) return target;
    const { $ref: _, ...siblings } = object;
    return { ...target, ...siblings };
  };
  return { root, follow: (node) => follow(node) };
};

/** From one reference to the next: more of them go in a circle. */
const mostSteps = 50;

/** RFC 6901, within the same document. */
const pointTo = (root: Raw, reference: string): unknown => {
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((segment) => safeDecode(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (node, name) =>
        typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined,
      root,
    );
};

const safeDecode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
