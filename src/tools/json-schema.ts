import type { Json } from '../ports/json.ts';

/**
 * JSON Schema as this package writes it, for what goes into a tool: no `$schema`, no `$ref`, nothing about `null`,
 * no patterns that a library generated. Limits also stand in the descriptions, since some providers drop them.
 */
export interface PropertySchema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: PropertySchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly PropertySchema[];
  readonly default?: Json;
}

/** The parameters of one tool. `properties` and `required` stand there also when they are empty. */
export interface ParametersSchema extends PropertySchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
}
