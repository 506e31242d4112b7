import { createScriptedModel, type ScriptedMoment, type ScriptedStep } from '../../testing/index.ts';

/** For agents without a key: looks up what the caller owes, and charges the oldest invoice once they agree to it. */
export const startModel = async () => {
  const answer = createAnswer();
  const model = createScriptedModel(Array.from({ length: mostAnswers }, () => answer));
  return {
    variables: { OPENAI_BASE_URL: `${await model.listen()}/v1`, OPENAI_API_KEY: 'test-openai-key' },
    close: model.close,
  };
};

/** More than a developer who tries things out asks for. */
const mostAnswers = 10_000;

const createAnswer = () => {
  // The oldest one that a look-up has shown, as the model reads it.
  let invoice: { readonly id: string; readonly amount: string } | undefined;

  return ({ caller, results }: ScriptedMoment): ScriptedStep => {
    const last = results.at(-1);
    const saysYes = /^yes\b/i.test(caller);
    if (!last && !(saysYes && invoice)) return { call: 'lookup_customer_invoices' };
    if (last?.includes('"confirmation_number"')) return 'That is paid. Goodbye.';
    if (last?.includes('"not_allowed"')) return 'I can only say that to a caller I know.';
    if (last?.includes('"invoice_count":0')) return 'You owe nothing. Goodbye.';
    const [, id, amount] = /"id":"([^"]+)","amount":([\d.]+)/.exec(last ?? '') ?? [];
    if (id && amount) invoice = { id, amount };
    if (!invoice || (last && !id)) return `The tool answered: ${last}`;
    return saysYes || caller.includes(invoice.amount)
      ? { call: 'create_payment', args: { invoice_id: invoice.id, amount: Number(invoice.amount) } }
      : `Your oldest invoice is ${invoice.id}, over ${invoice.amount}. Shall I charge your card?`;
  };
};
