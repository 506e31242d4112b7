import type { DialectParameters } from '../dialects.ts';

/** A Standard Schema that tells the model our parameters and lets every argument pass: the toolbox checks them. */
export interface UncheckedSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: { readonly input: () => DialectParameters; readonly output: () => DialectParameters };
  };
}

export const unchecked = (parameters: DialectParameters): UncheckedSchema => ({
  '~standard': {
    version: 1,
    vendor: 'voice-agent-integrations',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => parameters, output: () => parameters },
  },
});
