import * as z from '../schema.ts';
import type { PropertySchema } from './json-schema.ts';
import type { ArgumentsSchema } from './tool.ts';

/** An argument of a tool of this package: what is checked, and what a model is told of it. */
export interface OwnArgument<Value> {
  readonly check: z.LazySchema<Value>;
  readonly told: PropertySchema;
  readonly isRequired: boolean;
}

/** An argument that must be given. */
export const required = <Value>(check: z.LazySchema<Value>, told: PropertySchema): OwnArgument<Value> => ({
  check,
  told,
  isRequired: true,
});

/** An argument that may be left out, or be `null`. */
export const optional = <Value>(
  check: z.LazySchema<Value>,
  told: PropertySchema,
): OwnArgument<Value | null | undefined> => ({
  check: () => z.nullish(check()),
  told,
  isRequired: false,
});

type ValuesOf<Arguments> = {
  readonly [Name in keyof Arguments]: Arguments[Name] extends OwnArgument<infer Value> ? Value : never;
};

/** The schema of a tool of this package, made of its arguments. */
export const ownParameters = <const Arguments extends Readonly<Record<string, OwnArgument<unknown>>>>(
  args: Arguments,
): ArgumentsSchema<ValuesOf<Arguments>> => {
  const entries = Object.entries(args);
  const checked = z.lazily(() => z.object(Object.fromEntries(entries.map(([name, { check }]) => [name, check()]))));
  const told: PropertySchema = {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, argument]) => [name, argument.told])),
    required: entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  };
  // Each name got the check of its own argument.
  return z.toStandardSchema(checked as z.LazySchema as z.LazySchema<ValuesOf<Arguments>>, told);
};
