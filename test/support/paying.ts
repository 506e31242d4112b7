import type { Toolbox } from '../../src/tools/index.ts';

/** The toolbox for a model that asks for a payment, is given the invoices first, and asks again. */
export const paying = (toolbox: Toolbox): Toolbox => ({
  ...toolbox,
  run: async (...call) => {
    const result = await toolbox.run(...call);
    const { error } = Object(result.value) as { readonly error?: unknown };
    return error === 'look_up_first' ? toolbox.run(...call) : result;
  },
});
